//! SECOND BUILD: clones of what requests come to, for the dispatcher, which nobody can signal.
//!
//! ```text
//! placed module -> choice: what leads from a root to probes -> clones -> their probes count down, their calls go to
//!                                                                        clones -> prefix data, roots' addresses
//! ```
//!
//! A probe of the worker build looks at the line; that of a clone takes its weight ([`weights`]) from the countdown
//! and has the clock looked at when that is used up. Everything else is the same code: clones are made when sites are
//! placed and loops are cut, and before the probes get their code.
//!
//! Invariants:
//! (1) Data exists once: clones refer to the same variables, thread-locals and vtables, and where a function's address
//!     is used as a value, it is the original's in both builds, so that pointers compare equal.
//! (2) A direct call in a clone goes to the clone of what it calls, if that has one.
//! (3) A call through a pointer in a clone goes to the clone when the function says that it has one ([`search`]), and
//!     else to what the pointer names. What is read for that is readable whatever the pointer names.
//! (4) A computed goto stays in its build: a clone has its own tables of labels. A function whose labels or assembly
//!     name what a copy would share with the original has no clone.
//! (5) No worker's code changes but for the data before functions.

pub mod choice;
pub mod emit;
pub mod program;
pub mod search;
pub mod weights;

use std::collections::HashMap;

use concord_job::SecondReport;
use inkwell::ThreadLocalMode;
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::ffi::clone;
use crate::ffi::labels::Labels;
use crate::ffi::location::Locations;
use crate::ir;
use emit::Emitter;
use program::Reader;
use search::Search;

/// What the symbols of clones end in.
pub const SUFFIX: &str = ".dispatcher";

/// Makes the second build of a module whose sites are calls of `probe`; one without roots has none. `mode` is
/// how the countdown is reached.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
pub fn build<'ctx>(
    module: &Module<'ctx>,
    probe: FunctionValue<'ctx>,
    mode: ThreadLocalMode,
) -> Result<SecondReport, BuilderError> {
    let roots = program::roots(module);
    if roots.is_empty() {
        return Ok(SecondReport::default());
    }
    let emitter = Emitter::new(module, mode)?;
    let reader = Reader::of(module, probe);
    let functions: Vec<_> = roots.iter().map(|root| root.function).collect();
    let chosen = reader.choose(&functions);
    let weights = reader.weigh(&chosen);
    let mut copies: Vec<_> = chosen
        .iter()
        .map(|&function| {
            let name = format!("{}{SUFFIX}", ir::name(function));
            (function, clone::Copy::declare(module, function, &name))
        })
        .collect();
    let clones: HashMap<_, _> = copies.iter().map(|(function, copy)| (*function, copy.to)).collect();
    let mut cloned = SecondReport { clones: clones.len() as u32, ..SecondReport::default() };
    let mut locations = Locations::of(module);
    for (function, copy) in &mut copies {
        let labels = Labels::of(*function).expect("no other function was chosen");
        copy.whole(module, *function, &labels, |callee| clones.get(&callee).copied());
        locations.relocate(*function, copy.to);
        cloned.probes += emitter.count_down(copy.to, probe, &weights[function])?;
    }
    let mut search = Search::new(module)?;
    chosen.iter().for_each(|function| search.announce(module, *function, clones[function]));
    cloned.searches = chosen.iter().map(|function| search.apply(clones[function])).sum();
    for root in roots {
        let clone = clones.get(&root.function).copied();
        root.call_becomes(clone);
    }
    Ok(cloned)
}
