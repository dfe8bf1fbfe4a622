//! Builds the service's two programs and runs them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::{Message, MetadataCommand};

use super::{Args, Build, Programs};

/// Programs that Cargo and this executable built.
pub(crate) struct CargoBuilds {
    plain: PathBuf,
    instrumented: PathBuf,
}

impl CargoBuilds {
    /// Builds both.
    ///
    /// # Errors
    /// When a build fails (its own messages have been shown), or leaves not exactly one program.
    pub(crate) fn new(args: &Args) -> Result<Self> {
        let plain = build(args, plain_cargo(args)?, "cargo build --release")?;
        let instrumented = build(args, concord_cargo()?, "cargo concord build --release")?;
        Ok(Self { plain, instrumented })
    }
}

impl Programs for CargoBuilds {
    fn run(&self, build: Build, args: &[String]) -> Result<Vec<u8>> {
        let program = match build {
            Build::Plain => &self.plain,
            Build::Instrumented => &self.instrumented,
        };
        run(program, args)
    }
}

/// `cargo build` in a target directory of its own: C and C++ libraries keep their configuration there, and
/// another compiler's would be in the way.
fn plain_cargo(args: &Args) -> Result<Command> {
    let mut metadata = MetadataCommand::new();
    metadata.no_deps();
    if let Some(manifest) = &args.manifest_path {
        metadata.manifest_path(manifest);
    }
    let metadata = metadata.exec().context("read the workspace")?;
    let known: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    ensure!(
        known.contains(&args.package.as_str()),
        "package `{}` is not in this workspace; its packages: {}",
        args.package,
        known.join(", ")
    );
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("build").arg("--target-dir").arg(metadata.target_directory.join("concord-plain"));
    use_clang(&mut cargo);
    Ok(cargo)
}

/// Both builds compile C and C++ with the same compiler, so that they differ in the instrumentation alone.
fn use_clang(cargo: &mut Command) {
    for (variable, compiler) in [("CC", "clang"), ("CXX", "clang++")] {
        let chosen = |name: &OsStr| {
            let name = name.to_string_lossy();
            // CC, CC_<target>, HOST_CC, TARGET_CC
            name == variable
                || name.starts_with(&format!("{variable}_"))
                || name.ends_with(&format!("_{variable}"))
        };
        let runs =
            || Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
        if !std::env::vars_os().any(|(name, _)| chosen(&name)) && runs() {
            cargo.env(variable, compiler);
        }
    }
}

fn concord_cargo() -> Result<Command> {
    let mut concord = Command::new(std::env::current_exe().context("find this program's own file")?);
    concord.args(["concord", "build"]);
    Ok(concord)
}

/// Runs one build; the program it made.
fn build(args: &Args, mut command: Command, what: &str) -> Result<PathBuf> {
    eprintln!("{what} -p {}", args.package);
    command.args(["--release", "--message-format=json-render-diagnostics", "-p", &args.package]);
    if let Some(manifest) = &args.manifest_path {
        command.arg("--manifest-path").arg(manifest);
    }
    match &args.bin {
        Some(bin) => command.args(["--bin", bin]),
        None => command.arg("--bins"),
    };
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("start `{what}`"))?;
    ensure!(output.status.success(), "`{what} -p {}` failed: {}", args.package, output.status);
    one_program(&output.stdout, what)
}

/// The one executable that Cargo's messages name.
fn one_program(messages: &[u8], what: &str) -> Result<PathBuf> {
    let mut programs: Vec<PathBuf> = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message.context("read Cargo's messages")? {
            programs.extend(artifact.executable.map(PathBuf::from));
        }
    }
    match &programs[..] {
        [program] => Ok(program.clone()),
        [] => bail!("`{what}` left no program; is the package a library?"),
        several => {
            let names: Vec<_> = several.iter().filter_map(|program| program.file_name()?.to_str()).collect();
            bail!("the package has several programs ({}); choose one with --bin", names.join(", "))
        }
    }
}

fn run(program: &Path, args: &[String]) -> Result<Vec<u8>> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("start {}", program.display()))?;
    // A void run ends unsuccessfully too, but with its results, which say so.
    if output.status.success() || !output.stdout.trim_ascii().is_empty() {
        return Ok(output.stdout);
    }
    bail!(
        "{} {} failed: {}\n{}",
        program.display(),
        args.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(executable: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"p","target":{{"name":"p","kind":["bin"],"crate_types":["bin"],"required-features":[],"src_path":"/p","edition":"2024","doctest":false,"test":true,"doc":true}},"profile":{{"opt_level":"3","debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":false}},"features":[],"filenames":["/p"],"executable":{executable},"fresh":false}}"#
        )
    }

    #[test]
    fn exactly_one_program_is_accepted() {
        let messages =
            |executables: &[&str]| executables.iter().map(|name| artifact(name)).collect::<Vec<_>>();
        let found =
            |executables: &[&str]| one_program(messages(executables).join("\n").as_bytes(), "cargo build");
        assert_eq!(found(&["null", "\"/t/svc\""]).unwrap(), PathBuf::from("/t/svc"));
        assert!(found(&["null"]).unwrap_err().to_string().contains("library"));
        let several = found(&["\"/t/a\"", "\"/t/b\""]).unwrap_err().to_string();
        assert!(several.contains("a, b") && several.contains("--bin"), "{several}");
    }

    #[test]
    fn a_failed_program_shows_its_own_words_and_a_void_one_its_results() {
        let shell = |script: &str| run(Path::new("/bin/sh"), &["-c".into(), script.into()]);
        let message = shell("echo the disk is full >&2; exit 7").unwrap_err().to_string();
        assert!(message.contains("the disk is full") && message.contains('7'), "{message}");
        assert_eq!(shell("echo '{}'; exit 3").unwrap(), b"{}\n");
        assert_eq!(shell("exit 0").unwrap(), b"");
    }
}
