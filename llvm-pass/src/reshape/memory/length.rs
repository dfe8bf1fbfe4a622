//! How long a memory operation can be, by the value that says so.

use inkwell::values::{BasicValueEnum, InstructionOpcode as Op, InstructionValue, IntValue, Operand};

use crate::ffi::{self, Callee};
use crate::ir;

/// Steps that are looked back.
const DEPTH: u32 = 6;

/// The most that an unsigned value can be; its type's largest when nothing is known.
pub fn most(value: IntValue<'_>) -> u64 {
    most_within(value, DEPTH)
}

fn most_within(value: IntValue<'_>, depth: u32) -> u64 {
    let all = largest(value);
    if let Some(constant) = value.get_zero_extended_constant() {
        return constant;
    }
    let Some(instruction) = value.as_instruction().filter(|_| depth > 0) else { return all };
    let of = |index| operand(instruction, index).map(|value| most_within(value, depth - 1));
    let constant = |index| operand(instruction, index)?.get_zero_extended_constant();
    let known = match instruction.get_opcode() {
        Op::And => of(0).zip(of(1)).map(|(one, other)| one.min(other)),
        Op::ZExt | Op::Freeze => of(0),
        Op::Trunc => of(0).filter(|&most| most <= all),
        Op::LShr => of(0).zip(constant(1)).and_then(|(most, by)| most.checked_shr(u32::try_from(by).ok()?)),
        Op::UDiv => of(0).zip(constant(1)).and_then(|(most, by)| most.checked_div(by)),
        Op::URem => of(1).map(|most| most.saturating_sub(1)),
        Op::Select => of(1).zip(of(2)).map(|(one, other)| one.max(other)),
        // What wraps around may be anything.
        Op::Add => of(0).zip(of(1)).and_then(|(one, other)| one.checked_add(other)),
        Op::Mul => of(0).zip(of(1)).and_then(|(one, other)| one.checked_mul(other)),
        Op::Shl => {
            of(0).zip(constant(1)).and_then(|(most, by)| most.checked_mul(1u64.checked_shl(by as u32)?))
        }
        Op::Call => smaller(instruction, depth),
        _ => None,
    };
    known.filter(|&known| known <= all).unwrap_or(all)
}

/// `llvm.umin` is as most as the smaller of its arguments.
fn smaller(call: InstructionValue<'_>, depth: u32) -> Option<u64> {
    let Callee::Function(callee) = ffi::callee(ffi::as_call(call)?) else { return None };
    if !ir::name(callee).starts_with("llvm.umin.i") {
        return None;
    }
    let of = |index| Some(most_within(operand(call, index)?, depth - 1));
    Some(of(0)?.min(of(1)?))
}

fn operand(instruction: InstructionValue<'_>, index: u32) -> Option<IntValue<'_>> {
    match instruction.get_operand(index).and_then(Operand::value)? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

fn largest(value: IntValue<'_>) -> u64 {
    1u64.checked_shl(value.get_type().get_bit_width()).map_or(u64::MAX, |beyond| beyond - 1)
}
