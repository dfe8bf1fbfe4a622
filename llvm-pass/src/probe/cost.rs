//! What instructions cost, in units of one that is executed in a cycle or less together with others.
//!
//! The weights need not be exact: [`concord_job::PICOSECONDS_PER_INSTRUCTION`] was measured over whole programs, in
//! instructions executed. What counts is that nothing dear is taken to be cheap.

use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{InstructionOpcode, InstructionValue, Operand};

use crate::ffi::{self, Callee};
use crate::ir;

/// A division of integers, which no pipeline hides.
const DIVISION: u32 = 20;
/// A division or root of floating-point numbers.
const ROOT: u32 = 8;
/// A locked operation.
const LOCKED: u32 = 20;
/// A call of the mathematical library.
const MATHEMATICS: u32 = 60;
/// Entering and leaving a function.
pub const CALL: u32 = 4;
/// A call of native code that is known to be short: an allocation, a copy of a few bytes.
pub const SHORT_CALL: u32 = 60;

/// Bytes that memory operations do in the time of an instruction.
const MEMORY_RATE: u64 = 16;
/// The longest memory operation that has no probe: longer ones are done in pieces.
pub const MEMORY_PIECE: u32 = (crate::reshape::memory::PIECE / MEMORY_RATE) as u32;

/// Whether the instruction is a memory operation whose length is no constant.
pub fn is_unknown_memory(instruction: InstructionValue<'_>) -> bool {
    let callee = ffi::as_call(instruction).map(ffi::callee);
    let Some(Callee::Function(callee)) = callee else { return false };
    is_memory(&ir::name(callee)) && memory_length(instruction).is_none()
}

fn is_memory(name: &str) -> bool {
    ["llvm.memcpy", "llvm.memmove", "llvm.memset"].iter().any(|prefix| name.starts_with(prefix))
}

fn memory_length(call: InstructionValue<'_>) -> Option<u64> {
    let length = call.get_operand(2).and_then(Operand::value).filter(|value| value.is_int_value());
    length.and_then(|value| value.into_int_value().get_zero_extended_constant())
}

/// The cost of `instruction`; of a call without that of what is called, unless it is an intrinsic.
pub fn cost(instruction: InstructionValue<'_>) -> u32 {
    use InstructionOpcode as Op;
    match instruction.get_opcode() {
        Op::Phi | Op::Alloca | Op::BitCast | Op::PtrToInt | Op::IntToPtr | Op::Unreachable | Op::Freeze => 0,
        Op::GetElementPtr => u32::from(!has_constant_indices(instruction)),
        Op::Br => u32::from(instruction.get_num_operands() > 1),
        Op::SDiv | Op::UDiv | Op::SRem | Op::URem => DIVISION * registers(instruction),
        Op::FDiv | Op::FRem => ROOT * registers(instruction),
        Op::AtomicRMW | Op::AtomicCmpXchg | Op::Fence => LOCKED,
        Op::Call | Op::Invoke | Op::CallBr => call(instruction),
        Op::Store => registers_of_operand(instruction),
        _ => registers(instruction),
    }
}

fn call(instruction: InstructionValue<'_>) -> u32 {
    let Some(call) = ffi::as_call(instruction) else { return CALL };
    match ffi::callee(call) {
        Callee::Function(callee) if callee.get_intrinsic_id() != 0 => {
            intrinsic(&ir::name(callee), instruction)
        }
        Callee::Assembly => 2,
        Callee::Function(_) | Callee::Pointer => CALL,
    }
}

fn intrinsic(name: &str, call: InstructionValue<'_>) -> u32 {
    const FREE: [&str; 9] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.experimental.noalias",
        "llvm.invariant.",
        "llvm.launder.",
        "llvm.expect",
        "llvm.annotation",
        "llvm.threadlocal.address",
    ];
    const LIBRARY: [&str; 12] = [
        "llvm.exp",
        "llvm.log",
        "llvm.pow",
        "llvm.sin",
        "llvm.cos",
        "llvm.tan",
        "llvm.asin",
        "llvm.acos",
        "llvm.atan",
        "llvm.fma.",
        "llvm.frem",
        "llvm.round",
    ];
    let starts = |list: &[&str]| list.iter().any(|prefix| name.starts_with(prefix));
    if starts(&FREE) {
        0
    } else if is_memory(name) {
        memory_length(call).map_or(0, |bytes| 4 + u32::try_from(bytes / MEMORY_RATE).unwrap_or(u32::MAX))
    } else if starts(&LIBRARY) {
        MATHEMATICS * registers(call)
    } else if name.starts_with("llvm.sqrt") {
        ROOT * registers(call)
    } else {
        2 * registers(call)
    }
}

fn has_constant_indices(address: InstructionValue<'_>) -> bool {
    let indices = (1..address.get_num_operands()).filter_map(|index| address.get_operand(index)?.value());
    indices.into_iter().all(|index| index.is_int_value() && index.into_int_value().is_const())
}

/// How many of the baseline's 128-bit registers the result fills; 1 for what is no vector.
fn registers(instruction: InstructionValue<'_>) -> u32 {
    match instruction.get_type() {
        AnyTypeEnum::VectorType(vector) => vector_registers(vector.get_element_type(), vector.get_size()),
        _ => 1,
    }
}

fn registers_of_operand(store: InstructionValue<'_>) -> u32 {
    match store.get_operand(0).and_then(Operand::value).map(|value| value.get_type()) {
        Some(BasicTypeEnum::VectorType(vector)) => {
            vector_registers(vector.get_element_type(), vector.get_size())
        }
        _ => 1,
    }
}

fn vector_registers(element: BasicTypeEnum<'_>, length: u32) -> u32 {
    let bits = match element {
        BasicTypeEnum::IntType(integer) => integer.get_bit_width(),
        BasicTypeEnum::FloatType(float) => float.get_bit_width(),
        _ => 64,
    };
    (bits * length).div_ceil(128).max(1)
}
