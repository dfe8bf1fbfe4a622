//! The rustc and rustdoc roles: Cargo starts them in place of rustc (`RUSTC_WRAPPER`) and rustdoc.
//!
//! Calls for the target get our options at the end, where they win. Calls for the host, questions, and the
//! calls of another Cargo that a program or a build script starts below us pass through untouched.

pub(crate) mod args;
pub(crate) mod profile;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::context::{Context, FLAGS_VARIABLE, OPTIONS_VARIABLE};
use crate::link::static_library;
use crate::process;
use crate::role::Role;
use args::RustcArgs;
use profile::{CrateProfile, PROFILE_VARIABLE};

/// Runs rustc: `words` are its path and its arguments.
///
/// # Errors
/// When rustc cannot be started or our own work around it fails. rustc's failure is an exit code.
pub(crate) fn run(words: Vec<String>) -> Result<ExitCode> {
    let context = Context::from_environment()?;
    let Some((program, rest)) = words.split_first() else {
        bail!("the rustc role was started without rustc's path: it is Cargo's RUSTC_WRAPPER");
    };
    let mut command = match &context.chained_wrapper {
        Some(wrapper) => Command::new(wrapper),
        None => Command::new(program),
    };
    if context.chained_wrapper.is_some() {
        command.arg(program);
    }
    command.args(rest);
    let args = RustcArgs::read(&expand_argument_files(rest)?);
    let ours = args.out_dir.as_ref().is_some_and(|folder| context.is_target_path(folder));
    if args.query || args.target.is_none() || !ours {
        return process::replace(&mut command);
    }
    compile(&context, &args, &mut command)
}

fn compile(context: &Context, args: &RustcArgs, command: &mut Command) -> Result<ExitCode> {
    refuse_bare_linker(args)?;
    std::fs::create_dir_all(context.links())
        .with_context(|| format!("cannot create {}", context.links().display()))?;
    let summary = tempfile::NamedTempFile::new_in(context.links()).context("cannot create a summary file")?;
    let executable = std::env::var("CARGO_BIN_NAME").ok();
    let profile = CrateProfile::of_call(args, executable, Some(summary.path().to_path_buf()));
    command.args(own_options(context));
    command.env(PROFILE_VARIABLE, serde_json::to_string(&profile)?);
    let status = process::status(command)?;
    if status.success() {
        if let Some(library) = args.static_library() {
            static_library::instrument(context, &profile, &library)?;
        }
        if let Some(path) = args.dep_info() {
            depend_on(FLAGS_VARIABLE, &path)?;
            if args.links() || args.static_library().is_some() {
                depend_on(OPTIONS_VARIABLE, &path)?;
            }
        }
    }
    print_summary(summary.path())?;
    Ok(process::exit_code(status))
}

/// Runs rustdoc; the doctests of target crates are compiled and linked as other target code is.
///
/// # Errors
/// When rustdoc cannot be started.
pub(crate) fn run_rustdoc(words: Vec<String>) -> Result<ExitCode> {
    let context = Context::from_environment()?;
    let args = RustcArgs::read(&words);
    let mut command = Command::new(&context.rustdoc);
    command.args(&words);
    if args.test && args.target.is_some() {
        // No incremental session: doctests are compiled without optimisation, so the MIR inliner is off.
        refuse_bare_linker(&args)?;
        let profile = CrateProfile::of_call(&args, None, None);
        command.args(bitcode_options(&context)).env(PROFILE_VARIABLE, serde_json::to_string(&profile)?);
    }
    process::replace(&mut command)
}

/// All options that we add to a compilation.
pub(crate) fn own_options(context: &Context) -> Vec<String> {
    let mut options = bitcode_options(context);
    // An incremental session keeps rustc's MIR inliner from opening lock functions before the pass sees them.
    options.push(format!("-Cincremental={}", context.incremental().display()));
    options
}

/// The options that leave unoptimised bitcode for the linker role.
fn bitcode_options(context: &Context) -> Vec<String> {
    let linker = context.roles().join(Role::Linker.name());
    vec![
        "-Clinker-plugin-lto".to_owned(),
        "-Cno-prepopulate-passes".to_owned(),
        "-Ccodegen-units=1".to_owned(),
        // rustc's own LTO would merge std into our objects; the profile's `lto` is applied by the pass.
        "-Clto=off".to_owned(),
        format!("-Clinker={}", linker.display()),
    ]
}

fn refuse_bare_linker(args: &RustcArgs) -> Result<()> {
    let Some(flavour) = args.codegen_value("linker-flavor") else { return Ok(()) };
    if flavour == "gcc" || flavour.ends_with("-cc") {
        return Ok(());
    }
    bail!(
        "-C linker-flavor={flavour} calls a bare linker, and Concord needs a compiler driver in between; remove the \
         option, or name the linker with -C link-arg=-fuse-ld=..."
    );
}

/// Makes Cargo run rustc again when `variable` changes: what it stands for is in none of Cargo's fingerprints.
fn depend_on(variable: &str, dep_info: &Path) -> Result<()> {
    let Ok(value) = std::env::var(variable) else { return Ok(()) };
    let unchanged = || format!("cannot amend {}", dep_info.display());
    let mut text = std::fs::read_to_string(dep_info).with_context(unchanged)?;
    text.push_str(&format!("\n# env-dep:{variable}={value}\n"));
    std::fs::write(dep_info, text).with_context(unchanged)
}

fn print_summary(path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path).context("cannot read the summary of a link")?;
    eprint!("{text}");
    Ok(())
}

/// Cargo moves a line that is too long into `@file`, one argument per line.
fn expand_argument_files(words: &[String]) -> Result<Vec<String>> {
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        match word.strip_prefix('@') {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read rustc's argument file {path}"))?;
                expanded.extend(text.lines().map(str::to_owned));
            }
            None => expanded.push(word.clone()),
        }
    }
    Ok(expanded)
}
