//! Functions that do a long memory operation piece after piece.
//!
//! They are instrumented code like any other: placement gives their loops a probe. A piece has a constant length, so
//! that its cost is known; what remains is the last, shorter one.

use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::types::FunctionType;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, IntValue, PhiValue,
};

use super::{Kind, PIECE, PREFIX};
use crate::{ir, select};

/// Makes the function for operations of `kind` that call `operation`; it has the type `own`.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
pub fn define<'ctx>(
    module: &Module<'ctx>,
    kind: Kind,
    operation: FunctionValue<'ctx>,
    own: FunctionType<'ctx>,
) -> Result<FunctionValue<'ctx>, BuilderError> {
    let context = module.get_context();
    let name = format!("{PREFIX}{}", kind.name());
    let function = module.add_function(&name, own, Some(Linkage::Internal));
    ir::add_attributes(function, context, &["noinline", "nounwind", "cold"]);
    let probed = context.create_string_attribute(select::PROBED, "");
    function.add_attribute(AttributeLoc::Function, probed);
    let pieces = Pieces { builder: context.create_builder(), kind, operation, function };
    pieces.builder.position_at_end(pieces.append("start"));
    if kind == Kind::Move {
        pieces.either_way()?
    } else {
        pieces.forward()?
    }
    Ok(function)
}

struct Pieces<'ctx> {
    builder: Builder<'ctx>,
    kind: Kind,
    operation: FunctionValue<'ctx>,
    function: FunctionValue<'ctx>,
}

impl<'ctx> Pieces<'ctx> {
    /// From the first piece to the last.
    fn forward(&self) -> Result<(), BuilderError> {
        let (length, zero) = (self.length(), self.constant(0));
        let start = self.builder.get_insert_block().expect("the builder has a position");
        let (piece, next, rest) = (self.append("piece"), self.append("next"), self.append("rest"));
        self.branch_if_long(length, piece, rest)?;

        self.builder.position_at_end(piece);
        let done = self.phi(zero, start)?;
        let at = done.as_basic_value().into_int_value();
        let result = self.operate(at, self.constant(PIECE))?;
        match result.filter(|_| self.kind.ends_early()) {
            Some(result) => {
                let stop = self.append("stop");
                let is_found = self.is_not_zero(result)?;
                self.builder.build_conditional_branch(is_found, stop, next)?;
                self.builder.position_at_end(stop);
                self.builder.build_return(Some(&result))?;
            }
            None => drop(self.builder.build_unconditional_branch(next)?),
        }

        self.builder.position_at_end(next);
        let more = self.builder.build_int_nuw_add(at, self.constant(PIECE), "done")?;
        let left = self.builder.build_int_sub(length, more, "left")?;
        done.add_incoming(&[(&more, next)]);
        self.branch_if_long(left, piece, rest)?;

        self.builder.position_at_end(rest);
        let done = self.phi(zero, start)?;
        done.add_incoming(&[(&more, next)]);
        let at = done.as_basic_value().into_int_value();
        let left = self.builder.build_int_sub(length, at, "left")?;
        let result = self.operate(at, left)?;
        self.finish(result)
    }

    /// From the last piece to the first, for a move towards higher addresses.
    fn backward(&self) -> Result<(), BuilderError> {
        let length = self.length();
        let start = self.builder.get_insert_block().expect("the builder has a position");
        let (piece, rest) = (self.append("last.piece"), self.append("first.piece"));
        self.branch_if_long(length, piece, rest)?;

        self.builder.position_at_end(piece);
        let left = self.phi(length, start)?;
        let less = self.builder.build_int_sub(
            left.as_basic_value().into_int_value(),
            self.constant(PIECE),
            "left",
        )?;
        self.operate(less, self.constant(PIECE))?;
        left.add_incoming(&[(&less, piece)]);
        self.branch_if_long(less, piece, rest)?;

        self.builder.position_at_end(rest);
        let left = self.phi(length, start)?;
        left.add_incoming(&[(&less, piece)]);
        let result = self.operate(self.constant(0), left.as_basic_value().into_int_value())?;
        self.finish(result)
    }

    /// Backward when a piece would be overwritten before it is read otherwise: the target begins within the source.
    fn either_way(&self) -> Result<(), BuilderError> {
        let word = self.length().get_type();
        let [to, from] = [0, 1].map(|index| self.parameter(index).into_pointer_value());
        let to = self.builder.build_ptr_to_int(to, word, "to")?;
        let from = self.builder.build_ptr_to_int(from, word, "from")?;
        let distance = self.builder.build_int_sub(to, from, "distance")?;
        let is_within =
            self.builder.build_int_compare(IntPredicate::ULT, distance, self.length(), "within")?;
        let (backward, forward) = (self.append("backward"), self.append("forward"));
        self.builder.build_conditional_branch(is_within, backward, forward)?;
        self.builder.position_at_end(backward);
        self.backward()?;
        self.builder.position_at_end(forward);
        self.forward()
    }

    /// The operation for `length` bytes behind the first `done`.
    fn operate(
        &self,
        done: IntValue<'ctx>,
        length: IntValue<'ctx>,
    ) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
        let mut arguments: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
        for index in 0..2 {
            arguments.push(match self.parameter(index) {
                BasicValueEnum::PointerValue(pointer) => {
                    let bytes = self.length().get_type().get_context().i8_type();
                    // SAFETY: `done` is at most the length of the operation, which is valid for that by its contract.
                    unsafe { self.builder.build_in_bounds_gep(bytes, pointer, &[done], "")? }.into()
                }
                value => value.into(),
            });
        }
        arguments.push(length.into());
        if self.operation.count_params() > 3 {
            // Not volatile.
            arguments.push(length.get_type().get_context().bool_type().const_zero().into());
        }
        let call = self.builder.build_call(self.operation, &arguments, "")?;
        Ok(call.try_as_basic_value().basic())
    }

    /// Returns what the whole operation returns.
    fn finish(&self, result: Option<BasicValueEnum<'ctx>>) -> Result<(), BuilderError> {
        let target = self.parameter(0);
        let result = result.map(|result| if self.kind.ends_early() { result } else { target });
        self.builder.build_return(result.as_ref().map(|result| result as &dyn BasicValue<'ctx>)).map(drop)
    }

    fn branch_if_long(
        &self,
        length: IntValue<'ctx>,
        long: BasicBlock<'ctx>,
        short: BasicBlock<'ctx>,
    ) -> Result<(), BuilderError> {
        let is_long =
            self.builder.build_int_compare(IntPredicate::UGT, length, self.constant(PIECE), "long")?;
        self.builder.build_conditional_branch(is_long, long, short).map(drop)
    }

    fn is_not_zero(&self, result: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>, BuilderError> {
        match result {
            BasicValueEnum::PointerValue(found) => self.builder.build_is_not_null(found, "found"),
            other => {
                let number = other.into_int_value();
                let zero = number.get_type().const_zero();
                self.builder.build_int_compare(IntPredicate::NE, number, zero, "differs")
            }
        }
    }

    fn phi(&self, first: IntValue<'ctx>, from: BasicBlock<'ctx>) -> Result<PhiValue<'ctx>, BuilderError> {
        let phi = self.builder.build_phi(first.get_type(), "")?;
        phi.add_incoming(&[(&first, from)]);
        Ok(phi)
    }

    fn parameter(&self, index: u32) -> BasicValueEnum<'ctx> {
        self.function.get_nth_param(index).expect("the function has three parameters")
    }

    fn length(&self) -> IntValue<'ctx> {
        self.parameter(2).into_int_value()
    }

    fn constant(&self, value: u64) -> IntValue<'ctx> {
        self.length().get_type().const_int(value, false)
    }

    fn append(&self, name: &str) -> BasicBlock<'ctx> {
        self.function.get_type().get_context().append_basic_block(self.function, name)
    }
}
