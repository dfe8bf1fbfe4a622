//! Which functions of std's bitcode work on state that the tasks of a thread share.

use std::collections::HashMap;

use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionValue};

use crate::ffi::{self, Callee, Shared};
use crate::guard::catalogue::{self, Action};
use crate::ir;
use crate::names::Name;

/// The functions of a module that do.
pub struct State<'ctx>(HashMap<FunctionValue<'ctx>, Touch>);

/// What a function does to it.
struct Touch {
    reason: String,
    /// It calls a lock's acquire or release, and the other of the two may have been inlined.
    leaves_guard: bool,
}

impl<'ctx> State<'ctx> {
    /// Reads the code of each function, with what was inlined into it.
    pub fn of(module: &Module<'ctx>) -> Self {
        let functions = ir::definitions(module).into_iter();
        Self(functions.filter_map(|function| Some((function, Touch::of(function)?))).collect())
    }

    /// Why `function` must not be interrupted; `None` when its code is its own.
    pub fn reason(&self, function: FunctionValue<'ctx>) -> Option<String> {
        self.0.get(&function).map(|touch| touch.reason.clone())
    }

    /// Whether the depth after a call of `function` may be another one by the marks of its callees alone.
    pub(super) fn leaves_guard(&self, function: FunctionValue<'ctx>) -> bool {
        self.0.get(&function).is_some_and(|touch| touch.leaves_guard)
    }

    /// All of them.
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionValue<'ctx>> {
        self.0.keys().copied()
    }
}

impl Touch {
    fn of(function: FunctionValue<'_>) -> Option<Self> {
        let instructions: Vec<_> =
            function.get_basic_block_iter().flat_map(|block| block.get_instructions()).collect();
        let leaves_guard = instructions.iter().any(|instruction| leaves_guard(*instruction));
        let shared = instructions.iter().find_map(|instruction| ffi::shared_variable(*instruction));
        let reason = match shared {
            Some(Shared { symbol, is_thread_local }) => {
                let kind = if is_thread_local { "thread-local" } else { "mutable static" };
                format!("uses std's {kind} {}", Name::of(&symbol).demangled)
            }
            None if leaves_guard
                || instructions.iter().any(|instruction| ffi::is_lock_operation(*instruction)) =>
            {
                "takes or releases a lock by code that std's build has inlined".to_owned()
            }
            None => return None,
        };
        Some(Self { reason, leaves_guard })
    }
}

/// Whether an instruction calls a function that begins or ends a guard.
fn leaves_guard(instruction: InstructionValue<'_>) -> bool {
    let Some(Callee::Function(callee)) = ffi::as_call(instruction).map(ffi::callee) else { return false };
    let entry = catalogue::find(&Name::of(&ir::name(callee)).path);
    entry.and_then(|entry| entry.defined).is_some_and(|action| action != Action::Region)
}
