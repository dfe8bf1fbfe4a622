//! Memory operations that may be long are done in pieces, with probes between them.
//!
//! ```text
//! memcpy(to, from, n)   ->   if n > PIECE { concord.memcpy(to, from, n) } else { memcpy(to, from, n) }
//! ```
//!
//! A length that is known to be small is left alone, and so is the call itself on the usual way: a comparison and a
//! branch that is never taken are all that is added. Code that is to be small calls the function for pieces at once.
//! Loops that the optimiser made operations of are among them, and are the long ones.
//!
//! Both ways are written once for each kind of call, as a function that the always-inliner merges with the callers.

pub mod length;
pub mod pieces;

use std::collections::HashMap;

use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, FunctionType};
use inkwell::values::{
    BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
};

use super::Settings;
use crate::error::{Error, Result};
use crate::ffi::{self, Callee, clone};
use crate::{ir, optimise, select};

/// Bytes that are operated on without a probe: a sixth of a microsecond within the caches, one at the speed of
/// memory. Shorter pieces cost long operations their pace: each is a call of its own.
pub const PIECE: u64 = 8192;

/// What the names of the functions for pieces begin with.
pub const PREFIX: &str = "concord.";

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `memcpy`.
    Copy,
    /// `memmove`: the ranges may overlap.
    Move,
    /// `memset`.
    Set,
    /// `memcmp`.
    Compare,
    /// `bcmp`.
    Equal,
    /// `memchr`, which by C's definition reads in order and ends at what it finds.
    Find,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Copy, Kind::Move, Kind::Set, Kind::Compare, Kind::Equal, Kind::Find];

    /// The C library's name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Copy => "memcpy",
            Kind::Move => "memmove",
            Kind::Set => "memset",
            Kind::Compare => "memcmp",
            Kind::Equal => "bcmp",
            Kind::Find => "memchr",
        }
    }

    /// Whether a piece can decide the result.
    fn ends_early(self) -> bool {
        matches!(self, Kind::Compare | Kind::Equal | Kind::Find)
    }

    /// The operation behind a function's name.
    fn of(symbol: &str) -> Option<Self> {
        let is_intrinsic = |kind: &Kind| {
            symbol.strip_prefix("llvm.").and_then(|rest| rest.strip_prefix(kind.name())).is_some_and(
                |types| {
                    // Not `llvm.memcpy.inline.p0`, which promises to call nothing.
                    types.starts_with(".p0.")
                },
            )
        };
        Self::ALL.into_iter().find(|kind| symbol == kind.name() || is_intrinsic(kind))
    }
}

/// An operation with a length of its own.
#[derive(Clone, Copy)]
struct Operation<'ctx> {
    kind: Kind,
    /// What is called.
    callee: FunctionValue<'ctx>,
    call: CallSiteValue<'ctx>,
    instruction: InstructionValue<'ctx>,
    arguments: [BasicValueEnum<'ctx>; 3],
}

impl<'ctx> Operation<'ctx> {
    /// The operation that an instruction is; `None` when it is none, or one that must stay as it is.
    fn of(instruction: InstructionValue<'ctx>) -> Option<Self> {
        let call =
            ffi::as_call(instruction).filter(|_| instruction.get_opcode() == InstructionOpcode::Call)?;
        let Callee::Function(callee) = ffi::callee(call) else { return None };
        let kind = Kind::of(&callee.get_name().to_string_lossy())?;
        // A definition is code like any other.
        let is_plain = callee.count_basic_blocks() == 0
            && has_shape(callee)
            && ffi::called_type_key(call) == ffi::type_key(callee)
            && !ffi::ends_block(instruction)
            && !ffi::is_volatile_operation(instruction);
        let argument = |index| instruction.get_operand(index).and_then(inkwell::values::Operand::value);
        let arguments = [argument(0)?, argument(1)?, argument(2)?];
        is_plain.then_some(Self { kind, callee, call, instruction, arguments })
    }

    fn length(&self) -> IntValue<'ctx> {
        self.arguments[2].into_int_value()
    }

    /// The type of a function that takes the operation's place.
    fn own_type(&self) -> FunctionType<'ctx> {
        let parameters: Vec<BasicMetadataTypeEnum<'ctx>> =
            self.arguments.iter().map(|argument| argument.get_type().into()).collect();
        match self.callee.get_type().get_return_type() {
            Some(result) => result.fn_type(&parameters, false),
            None => self.callee.get_type().get_context().void_type().fn_type(&parameters, false),
        }
    }
}

/// Whether a function has the C library's parameters, of a 64-bit machine; an intrinsic says further whether it is
/// volatile.
fn has_shape(callee: FunctionValue<'_>) -> bool {
    let parameters = callee.get_type().get_param_types();
    let is_word =
        |kind: &BasicMetadataTypeEnum<'_>| kind.is_int_type() && kind.into_int_type().get_bit_width() == 64;
    let count = if callee.get_intrinsic_id() == 0 { 3 } else { 4 };
    parameters.len() == count && parameters[0].is_pointer_type() && is_word(&parameters[2])
}

/// Runs the transformation.
///
/// # Errors
/// [`Error::Passes`] when LLVM refuses its inliner.
pub fn run(module: &Module<'_>, machine: &TargetMachine, settings: &Settings<'_>) -> Result<()> {
    let fail = |message: String| Error::Passes {
        passes: "reshape".to_owned(),
        unit: settings.artefact.to_owned(),
        message,
    };
    let mut split = Split::new(module);
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        split.function(function).map_err(|error| fail(error.to_string()))?;
    }
    if split.ways.is_empty() {
        return Ok(());
    }
    optimise::run(module, machine, "always-inline", settings.optimise, settings.artefact)
}

struct Split<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: Builder<'ctx>,
    /// The functions for pieces, by operation and type.
    pieces: HashMap<(Kind, usize), FunctionValue<'ctx>>,
    /// The functions that hold both ways, by what is called and the call's attributes.
    ways: HashMap<(usize, bool, Vec<usize>), FunctionValue<'ctx>>,
}

impl<'a, 'ctx> Split<'a, 'ctx> {
    fn new(module: &'a Module<'ctx>) -> Self {
        let builder = module.get_context().create_builder();
        Self { module, builder, pieces: HashMap::new(), ways: HashMap::new() }
    }

    fn function(&mut self, function: FunctionValue<'ctx>) -> std::result::Result<(), BuilderError> {
        let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        let operations: Vec<_> = instructions.filter_map(Operation::of).collect();
        let is_small =
            ["optsize", "minsize", "cold"].into_iter().any(|name| ir::has_attribute(function, name));
        for operation in operations.iter().filter(|operation| length::most(operation.length()) > PIECE) {
            let pieces = self.pieces(operation)?;
            let is_long = operation.length().is_const();
            let target = if is_small || is_long { pieces } else { self.both_ways(operation, pieces)? };
            self.replace(function, operation, target);
        }
        Ok(())
    }

    fn pieces(
        &mut self,
        operation: &Operation<'ctx>,
    ) -> std::result::Result<FunctionValue<'ctx>, BuilderError> {
        let key = (operation.kind, ffi::type_key(operation.callee));
        if let Some(known) = self.pieces.get(&key) {
            return Ok(*known);
        }
        let function = pieces::define(self.module, operation.kind, operation.callee, operation.own_type())?;
        self.pieces.insert(key, function);
        Ok(function)
    }

    fn both_ways(
        &mut self,
        operation: &Operation<'ctx>,
        pieces: FunctionValue<'ctx>,
    ) -> std::result::Result<FunctionValue<'ctx>, BuilderError> {
        let key = (
            ffi::function_key(operation.callee),
            operation.call.is_tail_call(),
            clone::attributes_key(operation.call),
        );
        if let Some(known) = self.ways.get(&key) {
            return Ok(*known);
        }
        let context = self.module.get_context();
        let name = format!("{PREFIX}{}.checked", operation.kind.name());
        let function = self.module.add_function(&name, operation.own_type(), Some(Linkage::Internal));
        ir::add_attributes(function, context, &["alwaysinline", "nounwind"]);
        let parameters = function.get_params();
        let builder = &self.builder;
        let [start, long, short] = ["", "", ""].map(|name| context.append_basic_block(function, name));
        builder.position_at_end(start);
        let length = parameters[2].into_int_value();
        let most = length.get_type().const_int(PIECE, false);
        let is_long = builder.build_int_compare(IntPredicate::UGT, length, most, "long")?;
        ir::mark_unlikely(context, builder.build_conditional_branch(is_long, long, short)?, 0);
        builder.position_at_end(long);
        let arguments: Vec<_> = parameters.iter().map(|parameter| (*parameter).into()).collect();
        return_result(builder, builder.build_call(pieces, &arguments, "")?)?;
        builder.position_at_end(short);
        return_result(builder, clone::call(builder, operation.instruction, &parameters))?;
        self.ways.insert(key, function);
        Ok(function)
    }

    fn replace(
        &self,
        function: FunctionValue<'ctx>,
        operation: &Operation<'ctx>,
        target: FunctionValue<'ctx>,
    ) {
        let arguments = operation.arguments.map(Into::into);
        let call = ir::call_before(&self.builder, function, operation.instruction, target, &arguments);
        call.set_tail_call(operation.call.is_tail_call());
        ffi::replace(operation.instruction, ffi::call_instruction(call));
    }
}

fn return_result<'ctx>(
    builder: &Builder<'ctx>,
    call: CallSiteValue<'ctx>,
) -> std::result::Result<(), BuilderError> {
    let result = call.try_as_basic_value().basic();
    builder.build_return(result.as_ref().map(|result| result as &dyn BasicValue<'ctx>)).map(drop)
}
