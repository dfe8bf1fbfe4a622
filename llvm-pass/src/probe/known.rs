//! The greatest value that an integer can have, as far as its own computation says.

use inkwell::values::{AnyValue, InstructionOpcode, InstructionValue, IntValue, Operand};

use crate::ffi::{self, Callee};
use crate::ir;

/// How many computations are looked through.
const DEPTH: u32 = 6;

/// The greatest unsigned value of `value`; `None` when it may be any.
pub fn greatest(value: IntValue<'_>) -> Option<u64> {
    look(value, DEPTH)
}

fn look(value: IntValue<'_>, depth: u32) -> Option<u64> {
    if let Some(constant) = value.get_zero_extended_constant() {
        return Some(constant);
    }
    let instruction = value.as_instruction().filter(|_| depth > 0)?;
    let operand = |index| integer(instruction, index);
    let within = |index| look(operand(index)?, depth - 1);
    match instruction.get_opcode() {
        InstructionOpcode::And => match (within(0), within(1)) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        },
        InstructionOpcode::LShr => {
            let by = operand(1)?.get_zero_extended_constant()?;
            Some(all_ones(value)?.checked_shr(u32::try_from(by).ok()?).unwrap_or(0))
        }
        InstructionOpcode::ZExt => within(0).or_else(|| all_ones(operand(0)?)),
        InstructionOpcode::URem => within(1)?.checked_sub(1),
        InstructionOpcode::UDiv => {
            Some(within(0).or_else(|| all_ones(value))? / operand(1)?.get_zero_extended_constant()?.max(1))
        }
        InstructionOpcode::Select => Some(within(1)?.max(within(2)?)),
        InstructionOpcode::Freeze => within(0),
        InstructionOpcode::Add if ffi::no_wrap(instruction).0 => within(0)?.checked_add(within(1)?),
        InstructionOpcode::Call => least_of_arguments(instruction, depth),
        _ => None,
    }
}

/// `umin(a, b)` is at most what either is.
fn least_of_arguments(call: InstructionValue<'_>, depth: u32) -> Option<u64> {
    let Callee::Function(callee) = ffi::callee(ffi::as_call(call)?) else { return None };
    if !ir::name(callee).starts_with("llvm.umin.") {
        return None;
    }
    let bounds = (0..2).filter_map(|index| look(integer(call, index)?, depth - 1));
    bounds.min()
}

fn integer<'ctx>(instruction: InstructionValue<'ctx>, index: u32) -> Option<IntValue<'ctx>> {
    let value = instruction.get_operand(index).and_then(Operand::value)?;
    value.is_int_value().then(|| value.into_int_value())
}

fn all_ones(value: IntValue<'_>) -> Option<u64> {
    let width = value.get_type().get_bit_width();
    debug_assert!(value.as_any_value_enum().is_int_value());
    match width {
        1..=63 => Some((1 << width) - 1),
        64 => Some(u64::MAX),
        _ => None,
    }
}
