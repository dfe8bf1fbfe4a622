//! Strip-mining: a counted loop runs in chunks, by a nearer limit, with a probe between two chunks.
//!
//! ```text
//!   before                     after
//!
//!   preheader                  preheader: near = cut(first)
//!      |                          |
//!      v                          v
//!   header <--+                 outer <------------+     phis of the header, and of `near`
//!      :      |                   |                |
//!   exiting --+                   v                |
//!      |   (X pred limit)      header <--+       chunk: probe, near = cut(next)
//!      v                          :      |         ^
//!    exit                      exiting --+         |
//!                                 |   (X pred near)|
//!                                 v                |
//!                               test --------------+
//!                                 |   (X pred limit)
//!                                 v
//!                               exit
//! ```
//!
//! The loop itself keeps its instructions. Why this is right: a chunk ends early only in `test`, which asks the
//! original question and goes on exactly as the original would. So *any* nearer limit is right that does not let
//! the loop go on where the original ends: for an order (`<`, `<=`, ..), one not beyond the original; for `!=`, one
//! that the variable comes to before the original, or the original. A chunk is bounded, since the nearer limit is
//! reached after `chunk` rounds, or earlier where numbers would wrap.

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::IntType;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue, Operand,
    PhiValue,
};

use super::counted::{Counted, Form, Link, Stride, inverse};
use crate::{ffi, ir};

/// Where the parts of a loop are.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'ctx> {
    /// The only block outside that leads to the header, by a plain jump.
    pub preheader: BasicBlock<'ctx>,
    /// The header.
    pub header: BasicBlock<'ctx>,
    /// The only latch.
    pub latch: BasicBlock<'ctx>,
    /// Before this instruction the first limit is computed: in the preheader, or further out.
    pub first: InstructionValue<'ctx>,
}

/// Cuts a loop into chunks, the first and the later ones of at most so many `rounds`; returns the instruction before which the probe belongs.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
///
/// # Panics
/// When the loop is not the one that was recognised.
pub fn strip_mine<'ctx>(
    module: &Module<'ctx>,
    counted: &Counted<'ctx>,
    frame: Frame<'ctx>,
    rounds: [u32; 2],
) -> Result<InstructionValue<'ctx>, BuilderError> {
    let context = module.get_context();
    let builder = context.create_builder();
    if let Some(location) = counted.exit.get_debug_location() {
        builder.set_current_debug_location(location);
    }
    let [opening, cutter] = rounds.map(|chunk| Cutter { module, counted, chunk, builder: &builder });
    let outer = context.prepend_basic_block(frame.header, "outer");
    let test = context.insert_basic_block_after(frame.latch, "test");
    let next = context.insert_basic_block_after(test, "chunk");
    let exiting = counted.exit.get_parent().expect("the branch is in a block");
    let exit = ffi::successors(counted.exit)[counted.exit_way as usize];

    builder.position_before(&frame.first);
    let initial = incoming(counted.counter, frame.preheader);
    let first = opening.limit(opening.tested(initial)?)?;

    // The chunk's first value is the variable's next one, or, where the header tests, its present one.
    builder.position_at_end(next);
    let from = match counted.form {
        Form::Latch => cutter.tested(incoming(counted.counter, frame.latch))?,
        Form::Header => counted.tested,
    };
    let later = cutter.limit(from)?;
    let back = builder.build_unconditional_branch(outer)?;

    builder.position_at_end(test);
    let question = cutter.compare(counted.limit)?;
    let branch = match counted.exit_way {
        0 => builder.build_conditional_branch(question, exit, next)?,
        _ => builder.build_conditional_branch(question, next, exit)?,
    };
    ir::mark_unlikely(context, branch, 1 - counted.exit_way);
    ffi::replace_incoming(&builder, exit, exiting, test);

    builder.position_at_end(outer);
    let near = builder.build_phi(first.get_type(), "near")?;
    near.add_incoming(&[(&first, frame.preheader), (&later, next)]);
    let limit = near.as_basic_value();
    builder.position_before(&counted.exit);
    let asked =
        counted.exit.get_operand(0).and_then(Operand::value).and_then(|value| value.as_instruction_value());
    ffi::set_condition(counted.exit, cutter.compare(limit)?);
    if let Some(asked) = asked.filter(|asked| asked.get_first_use().is_none()) {
        asked.erase_from_basic_block();
    }
    ffi::set_successor(counted.exit, counted.exit_way, test);
    split_phis(&builder, frame, outer, next, counted.form)?;
    builder.position_at_end(outer);
    builder.build_unconditional_branch(frame.header)?;
    let entering = frame.preheader.get_terminator().expect("the preheader ends in a jump");
    ffi::set_successor(entering, 0, outer);
    Ok(back)
}

/// Gives each phi of the header a twin in the outer block that takes the values from outside and from chunk to chunk.
fn split_phis<'ctx>(
    builder: &Builder<'ctx>,
    frame: Frame<'ctx>,
    outer: BasicBlock<'ctx>,
    chunk: BasicBlock<'ctx>,
    form: Form,
) -> Result<(), BuilderError> {
    let is_phi = |instruction: &InstructionValue<'ctx>| instruction.get_opcode() == InstructionOpcode::Phi;
    let phis: Vec<_> = frame.header.get_instructions().take_while(is_phi).collect();
    let mut pairs = Vec::new();
    for instruction in phis {
        let old = PhiValue::try_from(instruction).expect("checked to be a phi");
        let (from_outside, from_latch) = (incoming(old, frame.preheader), incoming(old, frame.latch));
        let kind = from_outside.get_type();
        builder.position_at_end(outer);
        let twin = builder.build_phi(kind, "")?;
        twin.add_incoming(&[(&from_outside, frame.preheader)]);
        builder.position_before(&instruction);
        let fresh = builder.build_phi(kind, "")?;
        fresh.add_incoming(&[(&twin.as_basic_value(), outer), (&from_latch, frame.latch)]);
        let name = old.get_name().to_string_lossy().into_owned();
        old.replace_all_uses_with(&fresh);
        instruction.erase_from_basic_block();
        fresh.set_name(&name);
        twin.set_name(&format!("{name}.outer"));
        pairs.push((twin, fresh));
    }
    for (twin, fresh) in pairs {
        // Read anew: the value from the latch may have been a phi that was replaced.
        let value = match form {
            Form::Latch => incoming(fresh, frame.latch),
            Form::Header => fresh.as_basic_value(),
        };
        twin.add_incoming(&[(&value, chunk)]);
    }
    Ok(())
}

fn incoming<'ctx>(phi: PhiValue<'ctx>, from: BasicBlock<'ctx>) -> BasicValueEnum<'ctx> {
    let found = phi.get_incomings().find(|(_, block)| *block == from);
    found.expect("the phi has a value from each predecessor").0
}

struct Cutter<'a, 'ctx> {
    module: &'a Module<'ctx>,
    counted: &'a Counted<'ctx>,
    chunk: u32,
    builder: &'a Builder<'ctx>,
}

impl<'ctx> Cutter<'_, 'ctx> {
    /// The loop's question, with another limit: whether to go the branch's first way.
    fn compare(&self, limit: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>, BuilderError> {
        let goes_on = self.counted.predicate;
        let predicate = if self.counted.exit_way == 0 { inverse(goes_on) } else { goes_on };
        match (self.counted.tested, limit) {
            (BasicValueEnum::PointerValue(tested), BasicValueEnum::PointerValue(limit)) => {
                self.builder.build_int_compare(predicate, tested, limit, "")
            }
            (tested, limit) => {
                let limit = self.number(limit)?;
                self.builder.build_int_compare(predicate, tested.into_int_value(), limit, "")
            }
        }
    }

    /// What is tested in a round that begins with `value`.
    fn tested(&self, value: BasicValueEnum<'ctx>) -> Result<BasicValueEnum<'ctx>, BuilderError> {
        let mut value = value;
        for link in self.counted.chain.iter().rev() {
            value = match *link {
                Link::Add(by) => self.builder.build_int_add(value.into_int_value(), by, "")?.into(),
                Link::Sub(by) => self.builder.build_int_sub(value.into_int_value(), by, "")?.into(),
                Link::Number => self.number(value)?.into(),
                Link::Narrow => {
                    self.builder.build_int_truncate(value.into_int_value(), self.word(), "")?.into()
                }
                Link::Move(by, bytes) => {
                    let size = by.get_type().const_int(bytes, false);
                    let by = self.builder.build_int_mul(by, size, "")?;
                    self.moved(value, by)?
                }
            };
        }
        Ok(value)
    }

    /// The pointer `value`, `by` bytes further; it may leave its object on the way.
    fn moved(
        &self,
        value: BasicValueEnum<'ctx>,
        by: IntValue<'ctx>,
    ) -> Result<BasicValueEnum<'ctx>, BuilderError> {
        let byte = self.module.get_context().i8_type();
        // SAFETY: an address computation without `inbounds`, for which any offset is defined.
        let moved = unsafe { self.builder.build_gep(byte, value.into_pointer_value(), &[by], "") }?;
        Ok(moved.into())
    }

    /// The limit of the chunk whose first tested value is `from`.
    fn limit(&self, from: BasicValueEnum<'ctx>) -> Result<BasicValueEnum<'ctx>, BuilderError> {
        let (start, end) = (self.number(from)?, self.number(self.counted.limit)?);
        let near = match self.counted.predicate {
            IntPredicate::NE => self.equal_limit(start, end)?,
            _ => self.ordered_limit(start, end)?,
        };
        if from.is_pointer_value() {
            let by = self.builder.build_int_sub(near, start, "")?;
            return self.moved(from, by);
        }
        Ok(near.into())
    }

    /// A value that the variable comes to.
    fn equal_limit(
        &self,
        start: IntValue<'ctx>,
        end: IntValue<'ctx>,
    ) -> Result<IntValue<'ctx>, BuilderError> {
        let Stride::Constant(step) = self.counted.step else {
            unreachable!("recognised with a constant step")
        };
        let is_up = step > 0;
        let builder = self.builder;
        let span = self.span(step);
        if let (true, true, Some(first)) =
            (is_up, self.counted.no_unsigned_wrap, start.get_zero_extended_constant())
        {
            // The limit is not below the first value, or the variable would wrap.
            let far = first.checked_add(u64::from(self.tests()) * step.unsigned_abs());
            if let Some(far) = far.filter(|far| *far < 1 << (self.counted.width() - 1)) {
                return self.call("llvm.umin", end, self.number_of(far));
            }
        }
        let distance = if is_up {
            builder.build_int_sub(end, start, "")?
        } else {
            builder.build_int_sub(start, end, "")?
        };
        let mut near = self.call("llvm.umin", distance, span)?;
        let is_exact = step.unsigned_abs() == 1 || self.counted.no_wrap;
        if !is_exact {
            // A limit that the variable steps over is no nearer one: the loop goes on as the original does.
            let rest = builder.build_int_unsigned_rem(distance, self.number_of(step.unsigned_abs()), "")?;
            let is_met = builder.build_int_compare(IntPredicate::EQ, rest, self.number_of(0), "")?;
            near = builder.build_select(is_met, near, span, "")?.into_int_value();
        }
        if is_up { builder.build_int_add(start, near, "") } else { builder.build_int_sub(start, near, "") }
    }

    /// A limit that is not beyond the original one.
    fn ordered_limit(
        &self,
        start: IntValue<'ctx>,
        end: IntValue<'ctx>,
    ) -> Result<IntValue<'ctx>, BuilderError> {
        use IntPredicate::{SGE, SGT, SLE, SLT, UGE, UGT};
        let builder = self.builder;
        let is_signed = matches!(self.counted.predicate, SGE | SGT | SLE | SLT);
        let is_down = matches!(self.counted.predicate, SGE | SGT | UGE | UGT);
        let (saturate, nearer) = match (is_signed, is_down) {
            (false, false) => ("llvm.uadd.sat", "llvm.umin"),
            (false, true) => ("llvm.usub.sat", "llvm.umax"),
            (true, false) => ("llvm.sadd.sat", "llvm.smin"),
            (true, true) => ("llvm.ssub.sat", "llvm.smax"),
        };
        let (span, is_small) = match self.counted.step {
            Stride::Constant(step) => (self.span(step), None),
            Stride::Invariant(step) => self.variable_span(step)?,
        };
        let far = self.call(saturate, start, span)?;
        let near = self.call(nearer, far, end)?;
        let is_unit = matches!(self.counted.step, Stride::Constant(1 | -1));
        if is_unit || self.counted.no_wrap && is_small.is_none() {
            return Ok(near);
        }
        // Where the span wraps, a limit that ends the chunk after one round.
        let passed = if is_down {
            builder.build_int_sub(start, far, "")?
        } else {
            builder.build_int_sub(far, start, "")?
        };
        let mut is_whole = builder.build_int_compare(IntPredicate::EQ, passed, span, "")?;
        if let Some(is_small) = is_small {
            is_whole = builder.build_and(is_whole, is_small, "")?;
        }
        let ones = self.word().const_all_ones();
        let lowest = match (is_signed, is_down) {
            (false, false) => self.number_of(0),
            (false, true) => ones,
            (true, false) => self.number_of(1 << (self.counted.width() - 1)),
            (true, true) => self.number_of((1 << (self.counted.width() - 1)) - 1),
        };
        Ok(builder.build_select(is_whole, near, lowest, "")?.into_int_value())
    }

    /// From the chunk's first tested value to its last.
    fn span(&self, step: i64) -> IntValue<'ctx> {
        self.number_of(u64::from(self.tests()) * step.unsigned_abs())
    }

    /// The same for a step that is known at run time, and whether it did not wrap.
    fn variable_span(
        &self,
        step: IntValue<'ctx>,
    ) -> Result<(IntValue<'ctx>, Option<IntValue<'ctx>>), BuilderError> {
        let span = self.builder.build_int_mul(step, self.number_of(u64::from(self.tests())), "")?;
        let most = u64::MAX >> (64 - self.counted.width()) >> (self.chunk.ilog2() + 1);
        let is_small = self.builder.build_int_compare(IntPredicate::ULE, step, self.number_of(most), "")?;
        Ok((span, Some(is_small)))
    }

    /// Steps between the first tested value of a chunk and its limit.
    fn tests(&self) -> u32 {
        self.chunk - 1 - u32::from(self.is_inclusive())
    }

    fn is_inclusive(&self) -> bool {
        use IntPredicate::{SGE, SLE, UGE, ULE};
        matches!(self.counted.predicate, SGE | SLE | UGE | ULE)
    }

    fn word(&self) -> IntType<'ctx> {
        match self.counted.limit {
            BasicValueEnum::IntValue(integer) => integer.get_type(),
            _ => self.module.get_context().i64_type(),
        }
    }

    fn number_of(&self, value: u64) -> IntValue<'ctx> {
        self.word().const_int(value, false)
    }

    fn number(&self, value: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>, BuilderError> {
        match value {
            BasicValueEnum::PointerValue(pointer) => self.builder.build_ptr_to_int(pointer, self.word(), ""),
            _ => Ok(value.into_int_value()),
        }
    }

    fn call(
        &self,
        name: &str,
        left: IntValue<'ctx>,
        right: IntValue<'ctx>,
    ) -> Result<IntValue<'ctx>, BuilderError> {
        let function: FunctionValue<'ctx> = Intrinsic::find(name)
            .and_then(|intrinsic| intrinsic.get_declaration(self.module, &[self.word().into()]))
            .expect("LLVM has this intrinsic for integers");
        let call = self.builder.build_call(function, &[left.into(), right.into()], "")?;
        Ok(call.try_as_basic_value().unwrap_basic().into_int_value())
    }
}
