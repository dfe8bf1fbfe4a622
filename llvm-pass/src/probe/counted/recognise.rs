//! Finds the count of a loop in its code.

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, Operand, PhiValue,
};

use super::{Counted, Form, Link, Stride, distance, inverse};
use crate::ffi;
use crate::loops::Loop;

/// The counting of `own`, if it is a counted loop. `blocks` are the function's.
pub fn recognise<'ctx>(
    module: &Module<'ctx>,
    blocks: &[BasicBlock<'ctx>],
    own: &Loop,
) -> Option<Counted<'ctx>> {
    let [latch] = own.latches[..] else { return None };
    if own.entries.len() != 1 {
        return None;
    }
    let within = Within { module, header: blocks[own.header], latch: blocks[latch], own, blocks };
    within.counted(latch, Form::Latch).or_else(|| within.counted(own.header, Form::Header))
}

struct Within<'a, 'ctx> {
    module: &'a Module<'ctx>,
    header: BasicBlock<'ctx>,
    latch: BasicBlock<'ctx>,
    own: &'a Loop,
    blocks: &'a [BasicBlock<'ctx>],
}

impl<'ctx> Within<'_, 'ctx> {
    fn counted(&self, testing: usize, form: Form) -> Option<Counted<'ctx>> {
        let block = self.blocks[testing];
        let exit = block.get_terminator()?;
        let is_branch = exit.get_opcode() == InstructionOpcode::Br && exit.get_num_operands() == 3;
        if !is_branch || form == Form::Header && has_effects(block) {
            return None;
        }
        let exit_way = self.only_exit(exit)?;
        let test = exit.get_operand(0)?.value()?.as_instruction_value()?;
        if test.get_opcode() != InstructionOpcode::ICmp {
            return None;
        }
        let (left, right) = (test.get_operand(0)?.value()?, test.get_operand(1)?.value()?);
        let predicate = test.get_icmp_predicate()?;
        let predicate = if exit_way == 0 { inverse(predicate) } else { predicate };
        self.assemble(exit, exit_way, form, left, predicate, right)
            .or_else(|| self.assemble(exit, exit_way, form, right, swapped(predicate), left))
    }

    fn assemble(
        &self,
        exit: InstructionValue<'ctx>,
        exit_way: u32,
        form: Form,
        tested: BasicValueEnum<'ctx>,
        predicate: IntPredicate,
        limit: BasicValueEnum<'ctx>,
    ) -> Option<Counted<'ctx>> {
        if predicate == IntPredicate::EQ || !self.is_invariant(limit) {
            return None;
        }
        let tested = numbered(tested).unwrap_or(tested);
        let Way { counter, chain, wraps: tested_wraps } = self.way(tested)?;
        let (step, step_wraps) = self.stride(counter)?;
        let no_wrap = |wraps: Wraps| match predicate {
            IntPredicate::SLT | IntPredicate::SLE | IntPredicate::SGT | IntPredicate::SGE => !wraps.signed,
            _ => !wraps.unsigned || !wraps.signed && predicate == IntPredicate::NE,
        };
        let counted = Counted {
            exit,
            exit_way,
            form,
            tested,
            chain,
            counter,
            step,
            predicate,
            limit,
            no_wrap: no_wrap(step_wraps) && no_wrap(tested_wraps),
            no_unsigned_wrap: !step_wraps.unsigned && !tested_wraps.unsigned,
        };
        counted.can_be_cut().then_some(counted)
    }

    /// The way out of the loop of a branch whose other way stays, if that way is entered from the loop alone.
    fn only_exit(&self, exit: InstructionValue<'ctx>) -> Option<u32> {
        let ways = ffi::successors(exit);
        let [first, second] = ways[..] else { return None };
        match (self.holds(first), self.holds(second)) {
            (false, true) => Some(0),
            (true, false) => Some(1),
            _ => None,
        }
    }

    fn holds(&self, block: BasicBlock<'ctx>) -> bool {
        self.own.blocks.iter().any(|&inside| self.blocks[inside] == block)
    }

    fn is_invariant(&self, value: BasicValueEnum<'ctx>) -> bool {
        let block = value.as_instruction_value().and_then(|instruction| instruction.get_parent());
        block.is_none_or(|block| !self.holds(block))
    }

    /// How `value` comes from a variable of the header.
    fn way(&self, value: BasicValueEnum<'ctx>) -> Option<Way<'ctx>> {
        const LONGEST: usize = 16;
        let mut value = value;
        let mut chain = Vec::new();
        let mut wraps = Wraps::default();
        while chain.len() < LONGEST {
            let instruction = value.as_instruction_value()?;
            if instruction.get_opcode() == InstructionOpcode::Phi {
                let counter = PhiValue::try_from(instruction).ok()?;
                return (instruction.get_parent() == Some(self.header)).then_some(Way {
                    counter,
                    chain,
                    wraps,
                });
            }
            let (from, link, own_wraps) = self.link(instruction)?;
            chain.push(link);
            wraps = wraps.or(own_wraps);
            value = from;
        }
        None
    }

    /// The operand that changes in the loop, and what is done with it.
    fn link(&self, instruction: InstructionValue<'ctx>) -> Option<(BasicValueEnum<'ctx>, Link<'ctx>, Wraps)> {
        let operand = |index| instruction.get_operand(index).and_then(Operand::value);
        let is_integer = |value: BasicValueEnum<'ctx>| value.is_int_value() && self.is_invariant(value);
        match instruction.get_opcode() {
            InstructionOpcode::Add => {
                let (first, second) = (operand(0)?, operand(1)?);
                let (from, by) = if is_integer(second) { (first, second) } else { (second, first) };
                is_integer(by).then(|| (from, Link::Add(by.into_int_value()), Wraps::of(instruction)))
            }
            InstructionOpcode::Sub => {
                let (from, by) = (operand(0)?, operand(1)?);
                is_integer(by).then(|| (from, Link::Sub(by.into_int_value()), Wraps::of(instruction)))
            }
            InstructionOpcode::Trunc if operand(0)?.is_int_value() => {
                Some((operand(0)?, Link::Narrow, Wraps { unsigned: true, signed: true }))
            }
            InstructionOpcode::PtrToInt if is_word(operand(0)?, instruction) => {
                Some((operand(0)?, Link::Number, Wraps::default()))
            }
            InstructionOpcode::GetElementPtr if instruction.get_num_operands() == 2 => {
                let (from, by) = (operand(0)?, operand(1)?);
                let bytes = ffi::element_bytes(self.module, instruction)?;
                let is_plain = from.is_pointer_value()
                    && is_integer(by)
                    && by.into_int_value().get_type().get_bit_width() == 64;
                is_plain
                    .then(|| (from, Link::Move(by.into_int_value(), bytes), Wraps::of_address(instruction)))
            }
            _ => None,
        }
    }

    fn stride(&self, counter: PhiValue<'ctx>) -> Option<(Stride<'ctx>, Wraps)> {
        let next = counter.get_incomings().find(|(_, from)| *from == self.latch)?.0;
        let way = self.way(next)?;
        if way.counter.as_value_ref() != counter.as_value_ref() {
            return None;
        }
        if let Some(by) = distance(&way.chain) {
            return (by != 0).then_some((Stride::Constant(by), way.wraps));
        }
        match way.chain[..] {
            [Link::Add(by)] => Some((Stride::Invariant(by), way.wraps)),
            _ => None,
        }
    }
}

/// A value that comes from a variable of the header.
struct Way<'ctx> {
    counter: PhiValue<'ctx>,
    chain: Vec<Link<'ctx>>,
    wraps: Wraps,
}

/// In which senses additions may wrap.
#[derive(Clone, Copy, Default)]
struct Wraps {
    unsigned: bool,
    signed: bool,
}

impl Wraps {
    fn of(addition: InstructionValue<'_>) -> Self {
        let (unsigned, signed) = ffi::no_wrap(addition);
        Self { unsigned: !unsigned, signed: !signed }
    }

    fn of_address(address: InstructionValue<'_>) -> Self {
        let wraps = !ffi::is_in_bounds(address);
        Self { unsigned: wraps, signed: wraps }
    }

    fn or(self, other: Self) -> Self {
        Self { unsigned: self.unsigned || other.unsigned, signed: self.signed || other.signed }
    }
}

/// The number that a pointer was made from.
fn numbered<'ctx>(value: BasicValueEnum<'ctx>) -> Option<BasicValueEnum<'ctx>> {
    let cast = value.is_pointer_value().then(|| value.as_instruction_value()).flatten()?;
    let number = cast.get_operand(0).and_then(Operand::value)?;
    let is_cast = cast.get_opcode() == InstructionOpcode::IntToPtr && number.is_int_value();
    (is_cast && number.into_int_value().get_type().get_bit_width() == 64).then_some(number)
}

fn is_word(pointer: BasicValueEnum<'_>, number: InstructionValue<'_>) -> bool {
    let kind = number.get_type();
    pointer.is_pointer_value() && kind.is_int_type() && kind.into_int_type().get_bit_width() == 64
}

fn has_effects(block: BasicBlock<'_>) -> bool {
    use InstructionOpcode as Op;
    block.get_instructions().any(|instruction| match instruction.get_opcode() {
        Op::Load => {
            instruction.get_volatile().unwrap_or(true)
                || instruction
                    .get_atomic_ordering()
                    .is_ok_and(|ordering| ordering != inkwell::AtomicOrdering::NotAtomic)
        }
        Op::Store
        | Op::Call
        | Op::Invoke
        | Op::CallBr
        | Op::AtomicRMW
        | Op::AtomicCmpXchg
        | Op::Fence
        | Op::VAArg => true,
        Op::LandingPad | Op::CatchPad | Op::CleanupPad | Op::Alloca => true,
        _ => false,
    })
}

/// The predicate for exchanged operands.
fn swapped(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::{EQ, NE, SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
    match predicate {
        EQ => EQ,
        NE => NE,
        UGT => ULT,
        UGE => ULE,
        ULT => UGT,
        ULE => UGE,
        SGT => SLT,
        SGE => SLE,
        SLT => SGT,
        SLE => SGE,
    }
}
