//! VERIFY: looks at what all other stages made, on every build, and fails it rather than let code pass that nobody
//! can preempt.
//!
//! ```text
//! final IR -> ir -> code: (V1), (V2)            -> marks -> code generator -> object -> labels, reader -> emitted
//!                                                                                     -> machine: (M1), (M2), paths
//! ```
//!
//! Invariants of a module that passes:
//! (V1) Every cycle of a probed function's blocks has a probe, a call of a function in which every way meets one, or
//!      lies in a loop with a bound ([`ffi::BOUND_METADATA`]) and jumps back there.
//! (V2) No cycle of calls that holds a probed function comes all the way round from entries to calls without a probe;
//!      calls that never return are not followed: they come to a panic, in which no switch happens, or end the stack.
//!
//! Without LLVM types: all but [`ir`] and [`marks`].

pub mod code;
pub mod cycles;
pub mod decode;
pub mod dominators;
pub mod emitted;
pub mod fault;
pub mod ir;
pub mod labels;
pub mod machine;
pub mod marks;
pub mod nest;
pub mod own_loops;
pub mod paths;
pub mod reader;
pub mod registers;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use concord_job::{FunctionReport, Optimise, Place};
use inkwell::module::Module;

use crate::error::{Error, Result};
use crate::ffi::{self, Callee};
use crate::{ir as read, select};
use fault::Fault;
use machine::{Found, Measured};
use marks::Marks;
use reader::Diverging;

/// Checks the final module.
///
/// # Errors
/// [`Error::Unpreemptible`] with the first fault.
pub fn module(module: &Module<'_>, artefact: &str) -> Result<()> {
    fail(artefact, &ir::program(module).faults())
}

/// What the check of an object needs to know of the module that it is made of.
pub struct Expected {
    marks: Marks,
    probed: HashSet<String>,
    diverging: Diverging,
    /// Where functions begin in the source.
    places: HashMap<String, Place>,
}

impl Expected {
    /// Reads the final module, and makes it ready: its loops with bounds get labels, and where code of opt-level 0
    /// cannot come, it gets a trap. Without one, such a block is empty and looks like the beginning of the next.
    ///
    /// # Errors
    /// [`Error::Passes`] when LLVM refuses a label.
    pub fn prepare(module: &Module<'_>, optimise: &Optimise, artefact: &str) -> Result<Self> {
        let fail = |error: inkwell::builder::BuilderError| Error::Passes {
            passes: "verify".to_owned(),
            unit: artefact.to_owned(),
            message: error.to_string(),
        };
        if optimise.level == "0" {
            marks::trap_unreachable(module).map_err(fail)?;
        }
        let marks = marks::insert(module).map_err(fail)?;
        let probed: Vec<_> =
            read::definitions(module).into_iter().filter(|function| select::is_probed(*function)).collect();
        let place = |function| Some((read::name(function), ffi::function_place(function)?));
        Ok(Self {
            marks,
            places: probed.iter().filter_map(|function| place(*function)).collect(),
            probed: probed.into_iter().map(read::name).collect(),
            diverging: diverging(module),
        })
    }

    /// Checks the object that was made of the module.
    pub fn examine(&self, object: &[u8]) -> Found {
        let mut found = machine::check(object, &self.probed, &self.marks, &self.diverging);
        for fault in &mut found.faults {
            fault.place = self.places.get(&fault.function).cloned();
        }
        found
    }
}

/// Checks the object at `path`, and has the linker leave the labels out.
///
/// # Errors
/// [`Error::Unpreemptible`] with the first fault; [`Error::Read`] and [`Error::Write`] for the object.
pub fn object(path: &Path, expected: &Expected, artefact: &str) -> Result<Vec<Measured>> {
    let unread = |message: String| Error::Read { path: path.to_owned(), message };
    let mut bytes = std::fs::read(path).map_err(|error| unread(error.to_string()))?;
    let found = expected.examine(&bytes);
    fail(artefact, &found.faults)?;
    if !expected.marks.is_empty() {
        labels::exclude(&mut bytes).map_err(unread)?;
        std::fs::write(path, bytes)
            .map_err(|error| Error::Write { path: path.to_owned(), message: error.to_string() })?;
    }
    Ok(found.functions)
}

/// Enters what was found in the emitted code into the functions' reports, which are found by symbol.
pub fn complete(reports: &mut [FunctionReport], measured: Vec<Measured>) {
    let mut measured: HashMap<String, Measured> =
        measured.into_iter().map(|measured| (measured.symbol.clone(), measured)).collect();
    for report in reports {
        if let Some(Measured { path, external, unbounded, .. }) = measured.remove(&report.symbol) {
            report.machine_path = Some(u32::try_from(path).unwrap_or(u32::MAX));
            report.external_calls = external;
            report.unbounded = unbounded;
        }
    }
}

fn fail(artefact: &str, faults: &[Fault]) -> Result<()> {
    match faults {
        [] => Ok(()),
        [first, rest @ ..] => Err(Error::Unpreemptible {
            artefact: artefact.to_owned(),
            fault: first.to_string(),
            others: rest.len(),
        }),
    }
}

/// Calls behind which nothing follows. The object does not say it: what stands there is another block.
fn diverging(module: &Module<'_>) -> Diverging {
    let mut found = Diverging::default();
    let mut returning = HashSet::new();
    let mut sites = Vec::new();
    for function in module.get_functions().filter(|function| read::has_attribute(*function, "noreturn")) {
        found.always.insert(read::name(function));
    }
    for function in read::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        let caller = read::name(function);
        for instruction in function.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
            let Some(call) = ffi::as_call(instruction) else { continue };
            let diverges = read::never_returns(instruction);
            match ffi::callee(call) {
                Callee::Function(callee) if callee.get_intrinsic_id() == 0 => {
                    let callee = read::name(callee);
                    if diverges {
                        sites.push((caller.clone(), callee));
                    } else {
                        returning.insert(callee);
                    }
                }
                Callee::Pointer if diverges => {
                    found.pointers.insert(caller.clone());
                }
                _ => {}
            }
        }
    }
    for (caller, callee) in sites {
        if returning.contains(&callee) {
            found.sometimes.insert((caller, callee));
        } else {
            found.always.insert(callee);
        }
    }
    // What `resume` becomes.
    found.always.insert("_Unwind_Resume".to_owned());
    found
}
