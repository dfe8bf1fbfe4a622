//! `cargo concord clean`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::cargo_args::CargoArgs;
use crate::cli::CleanOptions;
use crate::driver;
use crate::toolchain;

/// Removes our target directory and our cache, and says so.
///
/// # Errors
/// When there is no package, or a folder cannot be removed.
pub(crate) fn run(options: &CleanOptions) -> Result<ExitCode> {
    let mut args = CargoArgs { target_dir: options.target_dir.clone(), ..CargoArgs::default() };
    if let Some(path) = &options.manifest_path {
        args.for_metadata = vec!["--manifest-path".to_owned(), path.display().to_string()];
    }
    for folder in [driver::our_folder(&args)?, toolchain::cache_folder()?] {
        remove(&folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => eprintln!("concord: removed {}", folder.display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot remove {}", folder.display())),
    }
    Ok(())
}
