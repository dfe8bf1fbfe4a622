//! What the rustc role tells the linker role: the linker is rustc's child, and sees its environment.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use concord_job::{Lto, Optimise};
use serde::{Deserialize, Serialize};

use super::args::RustcArgs;

/// Holds a [`CrateProfile`] as JSON.
pub(crate) const PROFILE_VARIABLE: &str = "CONCORD_CRATE";

/// How a crate is compiled, before our own options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CrateProfile {
    /// The crate's name.
    pub(crate) crate_name: String,
    /// `-C opt-level`.
    pub(crate) opt_level: String,
    /// The profile's `lto`.
    pub(crate) lto: ProfileLto,
    /// `-C target-cpu`.
    pub(crate) cpu: Option<String>,
    /// `-C debuginfo` above 0.
    pub(crate) debug_info: bool,
    /// The user's linker; absent: `cc`.
    pub(crate) linker: Option<String>,
    /// Folder into which Cargo links the artefact from its `deps`.
    pub(crate) uplift_folder: Option<PathBuf>,
    /// The executable's name without Cargo's hash.
    pub(crate) executable: Option<String>,
    /// Cargo's hash as it stands in file names.
    pub(crate) extra_filename: String,
    /// File to which the linker role appends its summary: rustc swallows a linker's output.
    pub(crate) summary: Option<PathBuf>,
}

/// [`Lto`] with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProfileLto(pub(crate) Lto);

impl Default for ProfileLto {
    fn default() -> Self {
        Self(Lto::Off)
    }
}

impl CrateProfile {
    /// The profile of a rustc call; `executable` is Cargo's `CARGO_BIN_NAME`.
    pub(crate) fn of_call(args: &RustcArgs, executable: Option<String>, summary: Option<PathBuf>) -> Self {
        let own = |name: &str| args.codegen_value(name).map(str::to_owned);
        Self {
            crate_name: args.crate_name.clone().unwrap_or_else(|| "main".to_owned()),
            opt_level: args.opt_level(),
            lto: ProfileLto(args.lto()),
            cpu: own("target-cpu"),
            debug_info: args.debug_info(),
            linker: own("linker"),
            uplift_folder: if args.test { None } else { args.out_dir.as_deref().and_then(uplift_folder) },
            executable: if args.test { None } else { executable },
            extra_filename: own("extra-filename").unwrap_or_default(),
            summary,
        }
    }

    /// Reads what the rustc role left.
    ///
    /// # Errors
    /// When the variable is missing or unreadable.
    pub(crate) fn from_environment() -> Result<Self> {
        let text = std::env::var(PROFILE_VARIABLE).with_context(|| {
            format!("{PROFILE_VARIABLE} is not set: the linker role is started by our rustc role")
        })?;
        serde_json::from_str(&text).with_context(|| format!("{PROFILE_VARIABLE} is not readable"))
    }

    /// The optimisation as the pass is told of it.
    pub(crate) fn optimise(&self) -> Optimise {
        Optimise {
            level: self.opt_level.clone(),
            lto: self.lto.0,
            cpu: self.cpu.clone(),
            debug_info: self.debug_info,
        }
    }

    /// The artefact's name where Cargo will link it to, from its name in `deps`.
    pub(crate) fn final_name(&self, output: &Path) -> String {
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        match &self.executable {
            Some(executable) => executable.clone(),
            None if self.uplift_folder.is_none() || self.extra_filename.is_empty() => name.into_owned(),
            None => name.replacen(&self.extra_filename, "", 1),
        }
    }
}

/// Cargo links `<profile>/deps/*` into `<profile>`, and examples within their own folder.
fn uplift_folder(out_dir: &Path) -> Option<PathBuf> {
    match out_dir.file_name()?.to_str()? {
        "deps" => out_dir.parent().map(Path::to_path_buf),
        "examples" => Some(out_dir.to_path_buf()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(text: &str, executable: Option<&str>) -> CrateProfile {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        CrateProfile::of_call(&RustcArgs::read(&words), executable.map(str::to_owned), None)
    }

    #[test]
    fn artefacts_are_named_as_cargo_uplifts_them() {
        let binary =
            profile("--crate-name my_app --out-dir /t/release/deps -C extra-filename=-12", Some("my-app"));
        assert_eq!(binary.uplift_folder.as_deref(), Some(Path::new("/t/release")));
        assert_eq!(binary.final_name(Path::new("/t/release/deps/my_app-12")), "my-app");
        let library = profile("--crate-type cdylib --out-dir /t/release/deps -C extra-filename=-12", None);
        assert_eq!(library.final_name(Path::new("/t/release/deps/libx-12.so")), "libx.so");
        let example = profile("--out-dir /t/release/examples -C extra-filename=-12", Some("e"));
        assert_eq!(example.uplift_folder.as_deref(), Some(Path::new("/t/release/examples")));
        let test = profile("--test --out-dir /t/release/deps -C extra-filename=-12", Some("my-app"));
        assert_eq!(test.final_name(Path::new("/t/release/deps/my_app-12")), "my_app-12");
    }

    #[test]
    fn the_variable_reads_back() {
        let written = profile("--crate-name a -C lto=thin -C target-cpu=native -C linker=clang -g", None);
        let read: CrateProfile = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
        assert_eq!(read, written);
        assert_eq!((read.lto.0, read.linker.as_deref()), (Lto::Thin, Some("clang")));
    }
}
