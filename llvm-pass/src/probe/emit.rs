//! The code of a probe and of the guards' marks.
//!
//! Each is written once as a small function; its calls are then inlined by LLVM's always-inliner, which
//! splits blocks, keeps phis right, and gives the inlined code the source location of the call. The fast path of
//! a probe is `cmpl $0, %fs:concord_line@tpoff; jne`; of a guard's exit `subl $2, %fs:concord_guard@tpoff; jbe`.

use concord_abi::guard::{IDLE, LEVEL, NOT_PENDING};
use concord_abi::{GUARD_SLOW_SYMBOL, GUARD_SYMBOL, LINE_BYTES, LINE_SYMBOL, PROBE_SLOW_SYMBOL};
use concord_job::OutputKind;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, FunctionValue, IntValue, PointerValue};
use inkwell::{GlobalVisibility, IntPredicate, ThreadLocalMode};

use crate::ffi;
use crate::guard::mark;
use crate::ir;

/// `preserve_most`: the callee keeps every general register but r11, so that a probe's caller spills nothing
/// on its fast path. Not `preserve_all`, whose contract grows with the caller's vector features.
const PRESERVE_MOST: u32 = 14;

/// Name of the function that holds a probe's code until it is inlined.
pub const PROBE: &str = "concord_probe";

/// The thread-local words and slow paths, as seen from one module.
pub struct Emitter<'ctx> {
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    line: PointerValue<'ctx>,
    guard: PointerValue<'ctx>,
    probe_slow: FunctionValue<'ctx>,
    guard_slow: FunctionValue<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    /// Declares the ABI's symbols; defines them, never armed, when `has_runtime` is false.
    pub fn new(module: &Module<'ctx>, output: OutputKind, has_runtime: bool) -> Self {
        let context = module.get_context();
        let mode = thread_local_mode(output);
        let word = |name, initial| thread_local_word(module, name, mode, (!has_runtime).then_some(initial));
        let slow = |name| slow_path(module, name, !has_runtime);
        Self {
            context,
            builder: context.create_builder(),
            line: word(LINE_SYMBOL, concord_abi::line::CLEAR),
            guard: word(GUARD_SYMBOL, IDLE),
            probe_slow: slow(PROBE_SLOW_SYMBOL),
            guard_slow: slow(GUARD_SLOW_SYMBOL),
        }
    }

    /// Makes the function of the probe.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn define_probe(&self, module: &Module<'ctx>) -> Result<FunctionValue<'ctx>, BuilderError> {
        let probe = module.add_function(PROBE, self.context.void_type().fn_type(&[], false), None);
        self.begin(probe);
        let word = self.context.i32_type();
        let line = self.builder.build_load(word, self.line, "line")?;
        if let Some(load) = line.as_instruction_value() {
            // An ordinary load may be hoisted out of its loop, and the code would poll once. Volatile rather than
            // atomic, since only then LLVM folds it into the comparison: no register, one instruction less.
            load.set_volatile(true).expect("a load can be volatile");
        }
        let armed = self.builder.build_int_compare(
            IntPredicate::NE,
            line.into_int_value(),
            word.const_zero(),
            "armed",
        )?;
        self.call_when(probe, armed, self.probe_slow)?;
        self.builder.build_return(None)?;
        Ok(probe)
    }

    /// Makes a function in the place of the probe that does nothing.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn define_empty_probe(&self, module: &Module<'ctx>) -> Result<FunctionValue<'ctx>, BuilderError> {
        let probe = module.add_function(PROBE, self.context.void_type().fn_type(&[], false), None);
        self.begin(probe);
        self.builder.build_return(None)?;
        Ok(probe)
    }

    /// Gives the guards' marks that the module uses their code.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn define_marks(&self, module: &Module<'ctx>) -> Result<(), BuilderError> {
        type Body<'ctx> = fn(&Emitter<'ctx>, FunctionValue<'ctx>) -> Result<(), BuilderError>;
        let marks: [(&str, Body<'ctx>); 5] = [
            (mark::ENTER, Self::enter),
            (mark::EXIT, Self::exit),
            (mark::EXIT_IF, Self::exit_if),
            (mark::SAVE, Self::save),
            (mark::RESTORE, Self::restore),
        ];
        for (name, body) in marks {
            if let Some(function) =
                module.get_function(name).filter(|function| function.count_basic_blocks() == 0)
            {
                self.begin(function);
                body(self, function)?;
            }
        }
        Ok(())
    }

    fn enter(&self, _function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let depth = self.load_guard()?;
        let more = self.builder.build_int_add(depth, self.constant(LEVEL), "")?;
        self.builder.build_store(self.guard, more)?;
        self.builder.build_return(None).map(drop)
    }

    fn exit(&self, function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        self.leave(function)?;
        self.builder.build_return(None).map(drop)
    }

    /// Below or equal to one level, unsigned: the depth becomes zero with a preemption pending, or was zero
    /// already. It is asked of the old word, so that one `subl` and its own flags do all of it.
    fn leave(&self, function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let word = self.load_guard()?;
        let less = self.builder.build_int_sub(word, self.constant(LEVEL), "")?;
        self.builder.build_store(self.guard, less)?;
        let is_due = self.builder.build_int_compare(IntPredicate::ULE, word, self.constant(LEVEL), "due")?;
        self.call_when(function, is_due, self.guard_slow)
    }

    fn exit_if(&self, function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let condition = function.get_first_param().expect("the mark has a parameter").into_int_value();
        let (leaves, stays) = (self.append(function), self.append(function));
        self.builder.build_conditional_branch(condition, leaves, stays)?;
        self.builder.position_at_end(stays);
        self.builder.build_return(None)?;
        self.builder.position_at_end(leaves);
        self.exit(function)
    }

    fn save(&self, _function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let word = self.load_guard()?;
        let depth = self.builder.build_and(word, self.constant(!NOT_PENDING), "")?;
        self.builder.build_return(Some(&depth)).map(drop)
    }

    fn restore(&self, function: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let saved = function.get_first_param().expect("the mark has a parameter").into_int_value();
        let word = self.load_guard()?;
        let pending = self.builder.build_and(word, self.constant(NOT_PENDING), "")?;
        let restored = self.builder.build_or(pending, saved, "")?;
        self.builder.build_store(self.guard, restored)?;
        let is_due = self.builder.build_int_compare(IntPredicate::EQ, restored, self.constant(0), "due")?;
        self.call_when(function, is_due, self.guard_slow)?;
        self.builder.build_return(None).map(drop)
    }

    fn load_guard(&self) -> Result<IntValue<'ctx>, BuilderError> {
        Ok(self.builder.build_load(self.context.i32_type(), self.guard, "")?.into_int_value())
    }

    fn constant(&self, value: u32) -> IntValue<'ctx> {
        self.context.i32_type().const_int(u64::from(value), false)
    }

    fn append(&self, function: FunctionValue<'ctx>) -> BasicBlock<'ctx> {
        self.context.append_basic_block(function, "")
    }

    /// Calls `slow` on a cold path when `condition` holds; goes on behind both paths.
    fn call_when(
        &self,
        function: FunctionValue<'ctx>,
        condition: IntValue<'ctx>,
        slow: FunctionValue<'ctx>,
    ) -> Result<(), BuilderError> {
        let (cold, rest) = (self.append(function), self.append(function));
        let branch = self.builder.build_conditional_branch(condition, cold, rest)?;
        ir::mark_unlikely(self.context, branch, 0);
        self.builder.position_at_end(cold);
        let call = self.builder.build_call(slow, &[], "")?;
        call.set_call_convention(PRESERVE_MOST);
        self.builder.build_unconditional_branch(rest)?;
        self.builder.position_at_end(rest);
        Ok(())
    }

    /// Turns a declared function into one that exists only to be inlined.
    fn begin(&self, function: FunctionValue<'ctx>) {
        function.set_linkage(Linkage::Internal);
        ir::add_attributes(function, self.context, &["alwaysinline", "nounwind"]);
        self.builder.position_at_end(self.append(function));
    }
}

/// How the ABI's words are reached.
pub(crate) fn thread_local_mode(output: OutputKind) -> ThreadLocalMode {
    match output {
        OutputKind::Executable => ThreadLocalMode::LocalExecTLSModel,
        OutputKind::SharedObject => ThreadLocalMode::InitialExecTLSModel,
    }
}

fn thread_local_word<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    mode: ThreadLocalMode,
    initial: Option<u32>,
) -> PointerValue<'ctx> {
    let context = module.get_context();
    let words = context.i32_type().array_type((LINE_BYTES / 4) as u32);
    let variable = ffi::thread_local(module, name, words.into(), mode);
    if let Some(initial) = initial {
        let mut values = vec![context.i32_type().const_zero(); LINE_BYTES / 4];
        values[0] = context.i32_type().const_int(u64::from(initial), false);
        variable.set_initializer(&context.i32_type().const_array(&values));
        variable.set_alignment(LINE_BYTES as u32);
    }
    variable.as_pointer_value()
}

/// Declares a slow path; with `define`, one that returns at once.
pub(crate) fn slow_path<'ctx>(module: &Module<'ctx>, name: &str, define: bool) -> FunctionValue<'ctx> {
    let context = module.get_context();
    let function = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, context.void_type().fn_type(&[], false), None));
    function.set_call_conventions(PRESERVE_MOST);
    ir::add_attributes(function, context, &["nounwind", "cold"]);
    function.as_global_value().set_visibility(GlobalVisibility::Hidden);
    if define && function.count_basic_blocks() == 0 {
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(function, ""));
        builder.build_return(None).expect("the builder has a position");
    }
    function
}
