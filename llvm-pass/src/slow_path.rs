//! No probe in the slow path, nor between two turns.
//!
//! A probe that finds its line armed calls the runtime, whose code calls the standard library's. Were one of those
//! functions to meet a probe before the line is clear, it would call the runtime again, without end; behind that, a
//! switch would leave the runtime in the middle of another switch. So whatever these functions come to by direct
//! calls, in the merged module, has no probes; a task's own code is reached through the switch, which is no call.
//! What a panic calls is left out: a thread that panics does not switch. So is the warning, which the runtime gives
//! inside a guard of its own.

use std::collections::HashSet;

use concord_job::Skipped;
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::ffi::{self, Callee};
use crate::names::Name;
use crate::{ir, select};

/// The runtime's functions behind the stubs, and those around a turn, in which the line may be armed for a task whose
/// stack is not entered yet or left already: by their path.
const SLOW_PATHS: [&str; 5] = [
    "concord::preempt::probe::probe_hit",
    "concord::preempt::probe::guard_hit",
    "concord::preempt::countdown::clock_hit",
    "concord::preempt::run_turn",
    "concord::preempt::run_watched",
];

/// Called by the slow path with the guard's depth raised.
const GUARDED: &str = "concord::preempt::probe::warn_of_unknown_guard";

/// Takes the probes' attribute from the functions that the slow path comes to; returns them, sorted.
pub fn clear(module: &Module<'_>) -> Vec<Skipped> {
    let reached = reached(module);
    let mut cleared: Vec<Skipped> = reached
        .into_iter()
        .filter(|function| select::is_probed(*function))
        .map(|function| {
            function.remove_string_attribute(AttributeLoc::Function, select::PROBED);
            Skipped {
                function: Name::of(&ir::name(function)).demangled,
                reason: "the runtime's slow path comes to it, which must not meet probes".to_owned(),
            }
        })
        .collect();
    cleared.sort_unstable();
    cleared
}

/// All functions with bodies that the slow path comes to.
pub fn reached<'ctx>(module: &Module<'ctx>) -> HashSet<FunctionValue<'ctx>> {
    let is_begin =
        |function: &FunctionValue<'ctx>| SLOW_PATHS.contains(&Name::of(&ir::name(*function)).path.as_str());
    let mut open: Vec<_> = ir::definitions(module).into_iter().filter(is_begin).collect();
    let mut reached: HashSet<_> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        for callee in callees(function).into_iter().filter(|callee| stays_in(*callee)) {
            if reached.insert(callee) {
                open.push(callee);
            }
        }
    }
    reached
}

fn stays_in(callee: FunctionValue<'_>) -> bool {
    callee.count_basic_blocks() > 0
        && !ir::has_attribute(callee, "noreturn")
        && Name::of(&ir::name(callee)).path != GUARDED
}

fn callees(function: FunctionValue<'_>) -> Vec<FunctionValue<'_>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let called = instructions.filter_map(ffi::as_call).filter_map(|call| match ffi::callee(call) {
        Callee::Function(callee) if callee.get_intrinsic_id() == 0 => Some(callee),
        _ => None,
    });
    called.collect()
}
