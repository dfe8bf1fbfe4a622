//! Counted loops: which variable counts, towards which limit, and how many rounds that makes at most.
//!
//! A counted loop has one latch and one test of the form `X predicate limit`, where `X` is the counting variable
//! or a constant distance from it, and the limit does not change in the loop. The test ends the round (the latch)
//! or begins it (a header without effects). Other ways out of the loop do not matter.

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, Operand, PhiValue,
};

use super::known::greatest;
use crate::ffi;
use crate::loops::Loop;

/// A counted loop.
#[derive(Clone, Debug)]
pub struct Counted<'ctx> {
    /// The conditional branch that leaves the loop when the count is over.
    pub exit: InstructionValue<'ctx>,
    /// Which of its ways leaves.
    pub exit_way: u32,
    /// Whether the test ends a round or begins it.
    pub form: Form,
    /// What is compared with the limit; a number where the limit is a pointer when it is the pointer's number.
    pub tested: BasicValueEnum<'ctx>,
    /// How `tested` comes from the counting variable at the beginning of the round, last link first.
    pub chain: Vec<Link<'ctx>>,
    /// The counting variable.
    pub counter: PhiValue<'ctx>,
    /// What it grows by in each round.
    pub step: Stride<'ctx>,
    /// The loop goes on while `tested predicate limit`.
    pub predicate: IntPredicate,
    /// Does not change in the loop.
    pub limit: BasicValueEnum<'ctx>,
    /// Whether the variable is known not to wrap, in the sense of the predicate.
    pub no_wrap: bool,
    /// Whether it is known not to wrap as an unsigned number.
    pub no_unsigned_wrap: bool,
}

/// One step of a computation whose other operand does not change in the loop.
#[derive(Clone, Copy, Debug)]
pub enum Link<'ctx> {
    /// Something is added.
    Add(IntValue<'ctx>),
    /// Something is subtracted.
    Sub(IntValue<'ctx>),
    /// A pointer moves on by so many elements of so many bytes.
    Move(IntValue<'ctx>, u64),
    /// A pointer becomes its number.
    Number,
    /// A number loses its upper bits: the counter was widened, the test was not.
    Narrow,
}

impl Link<'_> {
    /// What is added, when that is a constant.
    fn constant(self) -> Option<i64> {
        match self {
            Self::Add(by) => by.get_sign_extended_constant(),
            Self::Sub(by) => by.get_sign_extended_constant()?.checked_neg(),
            Self::Number | Self::Narrow => Some(0),
            Self::Move(by, bytes) => by.get_sign_extended_constant()?.checked_mul(i64::try_from(bytes).ok()?),
        }
    }
}

/// Where the test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In the latch: the first round is not tested for.
    Latch,
    /// In the header, which has no effects, so that it may run again.
    Header,
}

/// What the counting variable grows by.
#[derive(Clone, Copy, Debug)]
pub enum Stride<'ctx> {
    /// A constant, not zero.
    Constant(i64),
    /// An unsigned value that does not change in the loop.
    Invariant(IntValue<'ctx>),
}

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

/// What a chain of constants adds up to.
fn distance(chain: &[Link<'_>]) -> Option<i64> {
    chain.iter().try_fold(0i64, |sum, link| sum.checked_add(link.constant()?))
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

impl<'ctx> Counted<'ctx> {
    /// Width of what is compared, in bits.
    pub fn width(&self) -> u32 {
        match self.limit {
            BasicValueEnum::IntValue(integer) => integer.get_type().get_bit_width(),
            _ => 64,
        }
    }

    /// Whether each test can be cut off by another limit; see `strip_mine`.
    fn can_be_cut(&self) -> bool {
        use IntPredicate::{NE, SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
        let is_sized = match (self.tested, self.limit) {
            (BasicValueEnum::IntValue(_), BasicValueEnum::IntValue(_)) => matches!(self.width(), 16..=64),
            (BasicValueEnum::PointerValue(_), BasicValueEnum::PointerValue(_)) => true,
            (BasicValueEnum::IntValue(tested), BasicValueEnum::PointerValue(_)) => {
                tested.get_type().get_bit_width() == 64
            }
            _ => false,
        };
        let is_pointer = matches!(self.limit, BasicValueEnum::PointerValue(_));
        // A variable that may wrap is cut right only where the first round is not tested for.
        let is_safe = |unit: bool| unit || self.no_wrap || self.form == Form::Latch && !is_pointer;
        let is_small = match self.step {
            Stride::Constant(step) => self.width() >= 32 || step.unsigned_abs() <= 16,
            Stride::Invariant(_) => self.width() >= 32,
        };
        is_sized
            && is_small
            && match (self.predicate, self.step) {
                (NE, Stride::Constant(step)) => step.unsigned_abs() < 1 << 12,
                (ULT | ULE | SLT | SLE, Stride::Constant(step)) => {
                    (1..1 << 12).contains(&step) && is_safe(step == 1)
                }
                (UGT | UGE | SGT | SGE, Stride::Constant(step)) => {
                    (1..1 << 12).contains(&-step) && is_safe(step == -1)
                }
                (ULT | ULE, Stride::Invariant(_)) => self.form == Form::Latch && !is_pointer,
                _ => false,
            }
    }

    /// The greatest number of rounds, when it can be proved here.
    pub fn most_rounds(&self) -> Option<u64> {
        use IntPredicate::{NE, SGT, SLE, SLT, UGT, ULE, ULT};
        let Stride::Constant(step) = self.step else { return None };
        let (BasicValueEnum::IntValue(limit), true) = (self.limit, self.no_wrap || step.abs() == 1) else {
            return None;
        };
        let first = self.initial()?.checked_add(distance(&self.chain)?)?;
        let most = i64::try_from(greatest(limit)?).ok()?;
        let least = constant(self.limit);
        let span = match self.predicate {
            // With a variable limit only wrapping, or a limit below the first value, could make it more.
            NE if step > 0
                && (least.is_some_and(|limit| limit >= first) || least.is_none() && self.no_wrap) =>
            {
                most.checked_sub(first)?
            }
            NE if step < 0 => first.checked_sub(least?)?,
            ULT | SLT if step > 0 => most.checked_sub(first)?,
            ULE | SLE if step > 0 => most.checked_sub(first)?.checked_add(1)?,
            SGT if step < 0 => first.checked_sub(least?)?,
            UGT if step < 0 && least? >= 0 => first.checked_sub(least?)?,
            _ => return None,
        };
        // The variable's values must be those of the numbers that are counted with here.
        let is_plain = |value: i64| value >= 0 && (self.width() == 64 || value < 1 << (self.width() - 1));
        if !is_plain(first) || !is_plain(most) || span < 0 {
            return (span < 0 && is_plain(first) && is_plain(most) && self.predicate != NE).then_some(1);
        }
        u64::try_from(span).ok()?.div_ceil(step.unsigned_abs()).checked_add(1)
    }

    /// The counting variable's constant first value.
    fn initial(&self) -> Option<i64> {
        let latch_counts = |value: BasicValueEnum<'ctx>| constant(value).is_none();
        let mut initial =
            self.counter.get_incomings().map(|(value, _)| value).filter(|value| !latch_counts(*value));
        let first = constant(initial.next()?)?;
        (initial.next().is_none() && self.counter.count_incoming() == 2).then_some(first)
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

fn constant(value: BasicValueEnum<'_>) -> Option<i64> {
    match value {
        BasicValueEnum::IntValue(integer) => integer.get_sign_extended_constant(),
        _ => None,
    }
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

/// The predicate that holds exactly when this one does not.
pub fn inverse(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::{EQ, NE, SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
    match predicate {
        EQ => NE,
        NE => EQ,
        UGT => ULE,
        UGE => ULT,
        ULT => UGE,
        ULE => UGT,
        SGT => SLE,
        SGE => SLT,
        SLT => SGE,
        SLE => SGT,
    }
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
