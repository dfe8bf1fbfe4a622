//! The standard library's own bitcode: core, alloc and std as the toolchain ships them.
//!
//! Its rlibs hold, beside native code, the bitcode that the code was made of: optimised when std was built. Here it
//! becomes one unit of the link. It gets no pipeline of its own; it is cut down to what the rest of the link can
//! come to, selected and guarded, and takes part in the merge and in the profile's LTO.
//!
//! Invariants:
//! (1) A member is taken as a whole, and then the linker does not see it: each static of std exists once.
//! (2) What optimisation has inlined cannot be recognised by name. A function whose code touches a mutable static,
//!     a thread-local or a lock of std (`state.rs`) gets no probes, and is inlined nowhere.
//! (3) While such a function runs, no other task may come to see its state half changed: where it can come to code
//!     with probes it is a guarded region (`regions.rs`).

mod regions;
mod rules;
mod state;

use std::collections::HashSet;

use concord_job::{GuardCount, Instrument};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::error::{Error, Result};
use crate::select::{self, Selection};
use crate::unit::Unit;
use crate::{ffi, guard, ir};

pub use state::State;

/// Makes one module of the members `units`, in which everything but `needed` is internal.
///
/// # Errors
/// [`Error::Bitcode`] and [`Error::Merge`] when LLVM refuses a member.
pub fn unite<'ctx>(context: &'ctx Context, units: &[&Unit], needed: &HashSet<&str>) -> Result<Module<'ctx>> {
    let united = context.create_module("std");
    for unit in units {
        let fail = |message| Error::Bitcode { unit: unit.name.clone(), message };
        let module = ffi::parse(&unit.bitcode, &unit.name, context).map_err(fail)?;
        united.set_triple(&module.get_triple());
        united.set_data_layout(&module.get_data_layout());
        united
            .link_in_module(module)
            .map_err(|message| Error::Merge { unit: unit.name.clone(), message: message.to_string() })?;
    }
    for global in ffi::globals(&united) {
        if !global.is_declaration && global.is_resolvable() && !needed.contains(global.name.as_str()) {
            global.internalise();
        }
    }
    Ok(united)
}

/// Selects and marks what is left of the module that [`unite`] made.
pub fn mark(
    module: &Module<'_>,
    instrument: &Instrument,
    defined: &HashSet<String>,
) -> (Selection, Vec<GuardCount>) {
    let state = State::of(module);
    let judge = |function: FunctionValue<'_>, name: &crate::names::Name| {
        select::skip_reason(name, instrument)
            .or_else(|| rules::skip_reason(name))
            .or_else(|| state.reason(function))
    };
    let selection = select::mark_by(module, instrument, judge);
    let keeps_out = |function: &FunctionValue<'_>| {
        state.reason(*function).is_some() && !ir::has_attribute(*function, "alwaysinline")
    };
    for function in ir::definitions(module).into_iter().filter(keeps_out) {
        ir::add_attributes(function, module.get_context(), &["noinline"]);
    }
    let mut guards = guard::mark_guards(module, defined);
    let regions = regions::find(module, &state);
    guards.extend(guard::mark_regions(module, &regions));
    (selection, guards)
}
