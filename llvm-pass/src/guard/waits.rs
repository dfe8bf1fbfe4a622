//! Waits on condition variables, led to the runtime.
//!
//! A task that waits on a condition variable blocks its worker, and with it the task on the same worker that is
//! to signal it: LevelDB's writers queue up so, the first lets go of the mutex while it writes. POSIX allows a
//! wait to return without a signal, and every caller looks at its condition again; the runtime's wait makes
//! use of that: it lets other tasks run and returns ([`CONDITION_WAIT_SYMBOL`]).

use concord_abi::{CONDITION_WAIT_SYMBOL, CXX_CONDITION_WAIT_SYMBOL};
use inkwell::module::Module;

use super::calls;
use crate::ffi::{self, Callee};
use crate::{ir, select};

/// Native waits, with the functions of the runtime that take their place and their arguments.
const WAITS: [(&str, &str); 2] = [
    ("pthread_cond_wait", CONDITION_WAIT_SYMBOL),
    // std::condition_variable::wait(std::unique_lock<std::mutex>&), native code of libstdc++
    ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", CXX_CONDITION_WAIT_SYMBOL),
];

/// Redirects the waits of the functions with probes; returns how many.
pub fn redirect(module: &Module<'_>) -> u32 {
    let mut redirected = 0;
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        for (instruction, call) in calls(function) {
            let Callee::Function(callee) = ffi::callee(call) else { continue };
            let symbol = ir::name(callee);
            let Some((_, replacement)) = WAITS.iter().find(|(native, _)| *native == symbol) else { continue };
            let target = module
                .get_function(replacement)
                .unwrap_or_else(|| module.add_function(replacement, callee.get_type(), None));
            ffi::set_callee(instruction, target);
            redirected += 1;
        }
    }
    redirected
}
