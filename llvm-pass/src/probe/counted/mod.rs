//! Counted loops: which variable counts, towards which limit, and how many rounds that makes at most.
//!
//! A counted loop has one latch and one test of the form `X predicate limit`, where `X` is the counting variable
//! or a constant distance from it, and the limit does not change in the loop. The test ends the round (the latch)
//! or begins it (a header without effects). Other ways out of the loop do not matter.

mod recognise;

pub use recognise::recognise;

use inkwell::IntPredicate;
use inkwell::values::{BasicValueEnum, InstructionValue, IntValue, PhiValue};

use super::known::greatest;

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

/// What a chain of constants adds up to.
fn distance(chain: &[Link<'_>]) -> Option<i64> {
    chain.iter().try_fold(0i64, |sum, link| sum.checked_add(link.constant()?))
}

fn constant(value: BasicValueEnum<'_>) -> Option<i64> {
    match value {
        BasicValueEnum::IntValue(integer) => integer.get_sign_extended_constant(),
        _ => None,
    }
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
