//! What can go wrong between a job and its object.

use std::path::PathBuf;

use concord_job::Stage;

/// Result of this crate's operations.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed link job.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input could not be read.
    #[error("cannot read {path}: {message}")]
    Read {
        /// The input.
        path: PathBuf,
        /// The system's or the parser's words.
        message: String,
    },
    /// A file of the result could not be written.
    #[error("cannot write {path}: {message}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's or LLVM's words.
        message: String,
    },
    /// LLVM rejected a unit's bitcode.
    #[error(
        "{unit}: LLVM cannot read its bitcode: {message}. Was it made by a newer compiler than this rustc's LLVM?"
    )]
    Bitcode {
        /// Archive and member, or object.
        unit: String,
        /// LLVM's words.
        message: String,
    },
    /// Two units that must become one do not fit together.
    #[error("cannot merge {unit}: {message}")]
    Merge {
        /// Archive and member, or object.
        unit: String,
        /// LLVM's words.
        message: String,
    },
    /// A stage left an invalid module: a fault of Concord.
    #[error("the stage '{}' made an invalid module of {unit}: {message}. This is a fault of Concord: please report it with --save-dir's folder", stage.name())]
    Invalid {
        /// The stage.
        stage: Stage,
        /// The unit or the artefact.
        unit: String,
        /// The verifier's words.
        message: String,
    },
    /// A pass pipeline failed.
    #[error("LLVM's passes '{passes}' failed on {unit}: {message}")]
    Passes {
        /// The pipeline's text.
        passes: String,
        /// The unit or the artefact.
        unit: String,
        /// LLVM's words.
        message: String,
    },
    /// The target is not one that probes exist for, or LLVM does not know it.
    #[error("target {triple}: {message}")]
    Target {
        /// The target triple.
        triple: String,
        /// Why not.
        message: String,
    },
    /// The emitted code holds none of the probes that were placed.
    #[error("{artefact}: {placed} probes were placed but the object holds none: a later pass removed them")]
    ProbesLost {
        /// The artefact.
        artefact: String,
        /// Sites filled in the module.
        placed: u32,
    },
    /// A way through the code that neither a probe nor a bound ends: a fault of Concord.
    #[error(
        "{artefact}: {fault}{}. Nothing could preempt it. This is a fault of Concord, please report it: \
         `cargo concord build --save-dir DIR` makes the folder to attach. Leaving the function out of \
         instrumentation (`exclude`) lets the build pass meanwhile", more(*.others)
    )]
    Unpreemptible {
        /// The artefact.
        artefact: String,
        /// The first fault: function, place, kind.
        fault: String,
        /// How many more there are.
        others: usize,
    },
}

fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" (and {others} more)") }
}
