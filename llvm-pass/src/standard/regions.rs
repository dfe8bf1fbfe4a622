//! Which functions that work on std's state are guarded regions.
//!
//! A function that comes to no code with probes needs no region: nothing in it can switch. One whose callees mark a
//! lock is one all the same, since a region sets the depth back.

use std::collections::HashSet;

use inkwell::module::Module;
use inkwell::values::FunctionValue;

use super::state::State;
use crate::ffi::{self, Callee};
use crate::guard::catalogue;
use crate::names::Name;
use crate::{ir, select};

/// Where threads begin: the state is a thread's own, and what is called is the whole of its program.
const THREAD_BEGINS: [&str; 3] = ["std::rt", "std::thread::lifecycle", "std::sys::thread"];

/// The regions of a module whose functions have been selected.
pub(super) fn find<'ctx>(module: &Module<'ctx>, state: &State<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let reaching = reaching_probes(module);
    let is_region = |function: &FunctionValue<'ctx>| {
        let name = Name::of(&ir::name(*function));
        (reaching.contains(function) || state.leaves_guard(*function))
            && !ir::has_attribute(*function, "noreturn")
            && !THREAD_BEGINS.iter().any(|begin| name.is_in(begin))
            && catalogue::find(&name.path).and_then(|entry| entry.defined).is_none()
    };
    let mut regions: Vec<_> = state.functions().filter(is_region).collect();
    regions.sort_by_key(|function| ir::name(*function));
    regions
}

/// The functions that have probes, and those that may come to one of them; pointers lead anywhere.
fn reaching_probes<'ctx>(module: &Module<'ctx>) -> HashSet<FunctionValue<'ctx>> {
    let functions = ir::definitions(module);
    let mut reaching: HashSet<_> =
        functions.iter().copied().filter(|function| select::is_probed(*function)).collect();
    let bodies: Vec<_> = functions.into_iter().map(|function| (function, callees(function))).collect();
    let mut is_news = true;
    while is_news {
        is_news = false;
        for (function, callees) in &bodies {
            let comes_to = |callee: &Callee<'ctx>| match callee {
                Callee::Function(callee) => reaching.contains(callee),
                Callee::Pointer => true,
                Callee::Assembly => false,
            };
            if !reaching.contains(function) && callees.iter().any(comes_to) {
                is_news |= reaching.insert(*function);
            }
        }
    }
    reaching
}

/// What a function calls, panics left out: a thread that panics does not switch.
fn callees(function: FunctionValue<'_>) -> Vec<Callee<'_>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let calls = instructions.filter_map(ffi::as_call).map(ffi::callee);
    calls
        .filter(|callee| match callee {
            Callee::Function(callee) => !ir::has_attribute(*callee, "noreturn"),
            _ => true,
        })
        .collect()
}
