//! Vector loops of a program: innermost loops of its machine code that calculate with packed registers.
//!
//! Inlining copies loops and unrolling splits them, so the number by itself says little; what it must not do
//! is to fall between two builds that differ in probes alone.

use std::path::Path;

use anyhow::{Context, Result};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// Counts the vector loops of all functions.
///
/// # Errors
/// When the program cannot be read or has no symbols.
pub(super) fn count(program: &Path) -> Result<usize> {
    let data = std::fs::read(program)?;
    let file = object::File::parse(&*data)?;
    let text = file.section_by_name(".text").context("it has no section .text")?;
    let (base, code) = (text.address(), text.data()?);
    let mut functions: Vec<(u64, u64)> = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
        .map(|symbol| (symbol.address(), symbol.size()))
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let body = |&(address, size): &(u64, u64)| {
        let start = address.checked_sub(base)? as usize;
        Some((address, code.get(start..start + size as usize)?))
    };
    Ok(functions.iter().filter_map(body).map(|(address, code)| in_function(address, code)).sum())
}

fn in_function(address: u64, code: &[u8]) -> usize {
    let instructions: Vec<Instruction> =
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect();
    let loops = instructions.iter().filter_map(|instruction| back_edge(instruction, address)).collect();
    let packed: Vec<u64> =
        instructions.iter().filter(|instruction| is_packed(instruction)).map(Instruction::ip).collect();
    innermost(loops)
        .into_iter()
        .filter(|(start, end)| packed.iter().any(|at| (start..=end).contains(&at)))
        .count()
}

/// From the target of a jump backwards to the jump.
fn back_edge(instruction: &Instruction, function: u64) -> Option<(u64, u64)> {
    let jumps = matches!(
        instruction.flow_control(),
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
    );
    let is_near = instruction.op0_kind() == OpKind::NearBranch64;
    let (start, end) = (instruction.near_branch64(), instruction.ip());
    (jumps && is_near && function <= start && start <= end).then_some((start, end))
}

/// Those that hold no other; several jumps to one place are one loop, its shortest.
fn innermost(mut loops: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    // The latest start first: an enclosing loop comes after all that it holds, or starts where they do.
    loops.sort_unstable_by_key(|&(start, end)| (std::cmp::Reverse(start), end));
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (start, end) in loops {
        if found.last().is_none_or(|inner| end < inner.0) {
            found.push((start, end));
        }
    }
    found
}

/// Prefixes of packed arithmetic: on integers, and on reals when the name ends in `ps` or `pd`.
const INTEGER: [&str; 15] = [
    "padd", "psub", "pmul", "pmadd", "pmin", "pmax", "pabs", "psad", "psll", "psrl", "psra", "pcmpeq",
    "pcmpgt", "pshufb", "pavg",
];
const REAL: [&str; 12] =
    ["add", "sub", "mul", "div", "min", "max", "sqrt", "fmadd", "fmsub", "fnmadd", "fnmsub", "cmp"];

/// Calculates with several values at once: packed arithmetic, not a move, a shuffle or the zeroing of a register.
fn is_packed(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let ends_packed = name.ends_with("ps") || name.ends_with("pd");
    INTEGER.iter().any(|prefix| name.starts_with(prefix))
        || (ends_packed && REAL.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn innermost_loops_hold_no_other() {
        assert_eq!(
            innermost(vec![(0, 100), (10, 20), (30, 40), (30, 50), (60, 90), (70, 80)]),
            [(70, 80), (30, 40), (10, 20)]
        );
        assert_eq!(innermost(vec![(0, 10)]), [(0, 10)]);
        assert!(innermost(vec![]).is_empty());
    }

    #[test]
    fn a_packed_addition_in_a_loop_is_a_vector_loop() {
        // again: addps xmm0, [rdi]; add rdi, 16; cmp rdi, rsi; jne again; ret
        let vector = [0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x10, 0x48, 0x39, 0xf7, 0x75, 0xf4, 0xc3];
        assert_eq!(in_function(0x1000, &vector), 1);
        // The same with addss, one value at a time.
        let scalar = [0xf3, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x10, 0x48, 0x39, 0xf7, 0x75, 0xf3, 0xc3];
        assert_eq!(in_function(0x1000, &scalar), 0);
        // The addition without the loop.
        assert_eq!(in_function(0x1000, &vector[..3]), 0);
    }
}
