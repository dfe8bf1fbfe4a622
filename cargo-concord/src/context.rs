//! What the subcommand tells its roles: decided once, handed down in one environment variable.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use concord_job::{Probes, Stage};
use serde::{Deserialize, Serialize};

use crate::config::Settings;
use crate::toolchain::Clang;

/// Holds a [`Context`] as JSON.
pub(crate) const CONTEXT_VARIABLE: &str = "CONCORD_CONTEXT";

/// Hash of all that shapes the code besides Cargo's own options; Cargo links again when it changes.
pub(crate) const OPTIONS_VARIABLE: &str = "CONCORD_OPTIONS";

/// Hash of the options that we add to rustc's; Cargo compiles again when it changes, after an update of ours.
pub(crate) const FLAGS_VARIABLE: &str = "CONCORD_FLAGS";

/// Settings of one `cargo concord` call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Context {
    /// Our target directory, `<cargo target dir>/concord`.
    pub(crate) folder: PathBuf,
    /// Target triples that are built.
    pub(crate) targets: Vec<String>,
    /// The user's own `RUSTC_WRAPPER`.
    pub(crate) chained_wrapper: Option<PathBuf>,
    /// The rustdoc behind our role.
    pub(crate) rustdoc: PathBuf,
    /// `concord-pass`.
    pub(crate) pass: PathBuf,
    /// Folder in which `concord-pass` finds rustc's LLVM under the name that it asks for.
    pub(crate) pass_libraries: PathBuf,
    /// The clang for C and C++, or why there is none.
    pub(crate) clang: std::result::Result<Clang, String>,
    /// Folder of rustc's `ld.lld`, for `clang -B`.
    pub(crate) lld_folder: PathBuf,
    /// What stands at the sites.
    pub(crate) probes: Probes,
    /// Paths with and without probes, and the bound.
    pub(crate) settings: Settings,
    /// Each link says which paths match none of its functions: nobody looks at all links of the build later.
    pub(crate) warns: bool,
    /// Keep each link here, with a script that repeats it.
    pub(crate) save_dir: Option<PathBuf>,
    /// Stages whose module is written out.
    pub(crate) dump_stages: Vec<Stage>,
    /// The person's terminal, when there is one to show progress on.
    pub(crate) terminal: Option<PathBuf>,
    /// No summary line per link.
    pub(crate) quiet: bool,
}

impl Context {
    /// Reads what the subcommand left.
    ///
    /// # Errors
    /// When the variable is missing or unreadable: the role was started by someone else.
    pub(crate) fn from_environment() -> Result<Self> {
        let text = std::env::var(CONTEXT_VARIABLE).with_context(|| {
            format!("{CONTEXT_VARIABLE} is not set: this role is started by `cargo concord`")
        })?;
        serde_json::from_str(&text).with_context(|| format!("{CONTEXT_VARIABLE} is not readable"))
    }

    /// The value of [`CONTEXT_VARIABLE`].
    ///
    /// # Errors
    /// When a path is not UTF-8.
    pub(crate) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self)
            .context("a path of this build is not UTF-8; move the project or the toolchain")
    }

    /// Folder of the role symlinks.
    pub(crate) fn roles(&self) -> PathBuf {
        self.folder.join("roles")
    }

    /// Folder for the files of single links.
    pub(crate) fn links(&self) -> PathBuf {
        self.folder.join("links")
    }

    /// Folder of units that links prepared.
    pub(crate) fn units(&self) -> PathBuf {
        self.folder.join("units")
    }

    /// rustc's incremental folder, which keeps its MIR inliner off.
    pub(crate) fn incremental(&self) -> PathBuf {
        self.folder.join("incremental")
    }

    /// Whether `path` (an output folder) belongs to code that is built for a target, not for the host.
    pub(crate) fn is_target_path(&self, path: &std::path::Path) -> bool {
        self.targets.iter().any(|target| path.starts_with(self.folder.join(target)))
    }
}
