//! RESHAPE: changes to the optimised module, right before probes are placed, that make probes rarer.
//!
//! Each keeps what the program does; a build without probes has none of them, one with empty probes has all.

pub mod leaf;
pub mod memory;
pub mod recursion;
pub mod repeat;
pub mod self_inline;

use concord_job::Optimise;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use crate::error::Result;

/// What the stage needs to know beside the module.
pub struct Settings<'a> {
    /// The profile.
    pub optimise: &'a Optimise,
    /// For messages.
    pub artefact: &'a str,
}

/// Runs all of them; only where the profile asks for speed does code grow for it.
///
/// # Errors
/// [`crate::Error::Passes`] when LLVM refuses one of its own passes.
pub fn run(module: &Module<'_>, machine: &TargetMachine, settings: &Settings<'_>) -> Result<()> {
    if matches!(settings.optimise.level.as_str(), "2" | "3") {
        self_inline::run(module, machine, settings)?;
    }
    memory::run(module, machine, settings)
}
