//! GUARD: marks the regions in which a preemption has to wait, before optimisation hides them.
//!
//! A mark is a call of a function that nobody defines. To the optimiser it may read and write any memory, so
//! that nothing that the guard protects moves across it; after optimisation the probe stage gives the marks
//! their bodies ([`crate::probe::emit`]) and inlines them.
//!
//! Invariants:
//! (1) Depth is counted at the lock, not at its users: `+1` where a lock is taken or a region begins, `-1`
//!     where it is released or the region returns ([`catalogue`]).
//! (2) A region entered before the lock is known to be taken is left again when it was not.
//! (3) A lock built on another lock counts once: in the body of an acquire or release, native locks are not
//!     marked, and what bitcode locks did is undone.
//! (4) A panic may leave regions without passing their returns. Whoever catches it sets the depth back to
//!     what it was when the catching function was entered; while a thread panics no switch happens. Native
//!     regions set it back in their landing pads (`unwind`), for C++ has no one place that catches.

pub mod catalogue;
mod known;
mod regions;
mod unwind;
pub mod waits;

use std::collections::{BTreeMap, HashSet};

use concord_job::GuardCount;
use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
};

use crate::names::Name;
use crate::{ir, select};
use catalogue::{Action, Success};
use known::{Known, calls};

pub use regions::mark_regions;

/// Names of the marks.
pub mod mark {
    /// `void ()`: depth + 1.
    pub const ENTER: &str = "concord_guard_enter";
    /// `void ()`: depth - 1, and a pending preemption is taken when it becomes 0.
    pub const EXIT: &str = "concord_guard_exit";
    /// `void (i1)`: as [`EXIT`] when the argument is true.
    pub const EXIT_IF: &str = "concord_guard_exit_if";
    /// `i32 ()`: the depth now.
    pub const SAVE: &str = "concord_guard_save";
    /// `void (i32)`: the depth becomes what [`SAVE`] gave.
    pub const RESTORE: &str = "concord_guard_restore";
    /// All of them.
    pub const ALL: [&str; 5] = [ENTER, EXIT, EXIT_IF, SAVE, RESTORE];
}

/// rustc's function behind `catch_unwind`.
const CATCHER: &str = "__rust_try";

/// Marks the guards of one unit. `defined_in_bitcode` tells which functions another unit of the link marks.
pub fn mark_guards(module: &Module<'_>, defined_in_bitcode: &HashSet<String>) -> Vec<GuardCount> {
    let marker = Marker::new(module);
    let known = Known::of(module, defined_in_bitcode);
    let mut counts = Counts::default();
    // The runtime counts its own guards itself: its wait gives up a lock that compiled code has counted.
    let is_marked = |function: &FunctionValue<'_>| !select::is_runtime(&Name::of(&ir::name(*function)));
    for function in ir::definitions(module).into_iter().filter(is_marked) {
        marker.restore_depth_in_pads(function, &known);
        let own = known.entry(function).and_then(|entry| Some((entry.name, entry.defined?)));
        match own {
            None | Some((_, Action::Region)) => marker.mark_calls(function, &known, &mut counts),
            Some(_) => marker.undo_calls(function, &known),
        }
        if ir::name(function).starts_with(CATCHER) {
            marker.restore_depth_on_catch(function);
        } else if let Some((name, action)) = own {
            marker.mark_body(function, action);
            counts.add(name, action);
        }
    }
    counts.into_list()
}

#[derive(Default)]
struct Counts(BTreeMap<&'static str, (u32, u32)>);

impl Counts {
    fn add(&mut self, entry: &'static str, action: Action) {
        let (acquires, releases) = self.0.entry(entry).or_default();
        match action {
            Action::Enter | Action::EnterIf(_) => *acquires += 1,
            Action::Exit => *releases += 1,
            Action::Keep => {}
            Action::Region => {
                *acquires += 1;
                *releases += 1;
            }
        }
    }

    fn into_list(self) -> Vec<GuardCount> {
        let entries = self.0.into_iter();
        entries
            .map(|(entry, (acquires, releases))| GuardCount { entry: entry.to_owned(), acquires, releases })
            .collect()
    }
}

/// The marks, declared in one module.
struct Marker<'ctx> {
    builder: Builder<'ctx>,
    enter: FunctionValue<'ctx>,
    exit: FunctionValue<'ctx>,
    exit_if: FunctionValue<'ctx>,
    save: FunctionValue<'ctx>,
    restore: FunctionValue<'ctx>,
}

impl<'ctx> Marker<'ctx> {
    fn new(module: &Module<'ctx>) -> Self {
        let context = module.get_context();
        let (void, word) = (context.void_type(), context.i32_type());
        let declare = |name: &str, kind| {
            module.get_function(name).unwrap_or_else(|| {
                let function = module.add_function(name, kind, None);
                ir::add_attributes(function, context, &["nounwind", "willreturn"]);
                function
            })
        };
        Self {
            builder: context.create_builder(),
            enter: declare(mark::ENTER, void.fn_type(&[], false)),
            exit: declare(mark::EXIT, void.fn_type(&[], false)),
            exit_if: declare(mark::EXIT_IF, void.fn_type(&[context.bool_type().into()], false)),
            save: declare(mark::SAVE, word.fn_type(&[], false)),
            restore: declare(mark::RESTORE, void.fn_type(&[word.into()], false)),
        }
    }

    /// A catalogued function whose body is here.
    fn mark_body(&self, function: FunctionValue<'ctx>, action: Action) {
        let begins = !matches!(action, Action::Exit | Action::Keep);
        if begins && let Some(place) = ir::after_allocas(function) {
            self.insert(function, place, self.enter);
        }
        for block in function.get_basic_blocks() {
            let Some(place) =
                block.get_terminator().filter(|last| last.get_opcode() == InstructionOpcode::Return)
            else {
                continue;
            };
            match action {
                Action::Enter | Action::Keep => {}
                Action::Exit | Action::Region => self.insert(function, place, self.exit),
                Action::EnterIf(success) => {
                    let result = place.get_operand(0).and_then(|operand| operand.value());
                    self.exit_on_failure(function, place, result, success);
                }
            }
        }
    }

    /// Calls of catalogued functions that are native code.
    fn mark_calls(&self, function: FunctionValue<'ctx>, known: &Known<'ctx, '_>, counts: &mut Counts) {
        for (instruction, call) in calls(function) {
            if let Some(entry) = known.native_entry(call)
                && let Some(action) = entry.declared
            {
                self.mark_call(function, instruction, call, action);
                counts.add(entry.name, action);
            }
        }
    }

    /// Invariant (3), for calls of functions whose own marks count otherwise.
    fn undo_calls(&self, function: FunctionValue<'ctx>, known: &Known<'ctx, '_>) {
        for (instruction, _) in calls(function).into_iter().filter(|(_, call)| known.reaches_marks(*call)) {
            let depth = ir::call_before(&self.builder, function, instruction, self.save, &[]);
            if let Some(depth) = depth.try_as_basic_value().basic()
                && let Some(place) = ir::after_call(&self.builder, function, instruction)
            {
                ir::call_before(&self.builder, function, place, self.restore, &[depth.into()]);
            }
        }
    }

    fn mark_call(
        &self,
        function: FunctionValue<'ctx>,
        instruction: InstructionValue<'ctx>,
        call: CallSiteValue<'ctx>,
        action: Action,
    ) {
        if !matches!(action, Action::Exit | Action::Keep) {
            self.insert(function, instruction, self.enter);
        }
        let Some(place) = ir::after_call(&self.builder, function, instruction) else { return };
        match action {
            Action::Enter | Action::Keep => {}
            Action::Exit | Action::Region => self.insert(function, place, self.exit),
            Action::EnterIf(success) => {
                self.exit_on_failure(function, place, call.try_as_basic_value().basic(), success);
            }
        }
    }

    fn insert(
        &self,
        function: FunctionValue<'ctx>,
        place: InstructionValue<'ctx>,
        mark: FunctionValue<'ctx>,
    ) {
        ir::call_before(&self.builder, function, place, mark, &[]);
    }

    /// Leaves the guard again when `result` says that the lock was not taken.
    fn exit_on_failure(
        &self,
        function: FunctionValue<'ctx>,
        place: InstructionValue<'ctx>,
        result: Option<BasicValueEnum<'ctx>>,
        success: Success,
    ) {
        let Some(BasicValueEnum::IntValue(result)) = result else { return };
        self.builder.position_before(&place);
        let failed = self.compare_with_zero(result, success);
        ir::call_before(&self.builder, function, place, self.exit_if, &[failed.into()]);
    }

    fn compare_with_zero(&self, result: IntValue<'ctx>, success: Success) -> IntValue<'ctx> {
        let predicate = match success {
            Success::Zero => IntPredicate::NE,
            Success::True | Success::NonZero => IntPredicate::EQ,
        };
        let zero = result.get_type().const_zero();
        self.builder.build_int_compare(predicate, result, zero, "").expect("the builder has a position")
    }

    /// Invariant (4): the depth at entry is the depth when the catch begins.
    fn restore_depth_on_catch(&self, function: FunctionValue<'ctx>) {
        let Some(entry) = ir::after_allocas(function) else { return };
        let depth = ir::call_before(&self.builder, function, entry, self.save, &[]);
        let Some(depth) = depth.try_as_basic_value().basic() else { return };
        for block in function.get_basic_blocks() {
            let is_catch = block
                .get_instructions()
                .any(|instruction| instruction.get_opcode() == InstructionOpcode::LandingPad);
            if is_catch && let Some(place) = ir::first_insertion_point(block) {
                ir::call_before(&self.builder, function, place, self.restore, &[depth.into()]);
            }
        }
    }
}
