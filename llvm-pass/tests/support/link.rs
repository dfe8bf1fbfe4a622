//! Compiles sources as Cargo and the C compiler role would, and runs the pass on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use concord_job::{Exports, Input, Instrument, LinkJob, LinkOutcome, Lto, Optimise, OutputKind, Stage};
use concord_pass::pipeline;

/// The folder of test sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Runs a command, which has to succeed.
#[track_caller]
pub fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The bitcode of a Rust library.
pub fn rust(source: &Path, level: &str, folder: &Path) -> PathBuf {
    let file = folder.join("rust.bc");
    succeed(
        Command::new("rustc")
            .args(["--crate-type=lib", "--edition=2024", "--emit=llvm-bc", "-Ccodegen-units=1"])
            .args(["-Clinker-plugin-lto", "-Cno-prepopulate-passes", &format!("-Copt-level={level}")])
            .arg(format!("-Cincremental={}", folder.display()))
            .arg(source)
            .arg("-o")
            .arg(&file)
            .current_dir(env!("CARGO_MANIFEST_DIR")),
    );
    file
}

/// The bitcode of a C file.
pub fn c(source: &Path, level: &str, folder: &Path) -> PathBuf {
    let file = folder.join("c.bc");
    succeed(
        Command::new("clang")
            .args(["-c", "-emit-llvm", "-g", "-fPIC", "-Xclang", "-disable-llvm-passes"])
            .arg(format!("-O{level}"))
            .arg(source)
            .arg("-o")
            .arg(&file),
    );
    file
}

/// A job over these inputs.
pub fn job(inputs: &[&Path], level: &str, output: OutputKind, folder: &Path) -> LinkJob {
    LinkJob {
        inputs: inputs.iter().map(|path| Input::Object { path: path.to_path_buf() }).collect(),
        output,
        artefact: "constructs".to_owned(),
        exports: Exports::All,
        roots: Vec::new(),
        optimise: Optimise { level: level.to_owned(), lto: Lto::Off, cpu: None, debug_info: true },
        instrument: Instrument::default(),
        work_dir: folder.to_owned(),
        cache: None,
        dump: vec![Stage::Probe],
    }
}

/// Runs the pass, which verifies what it makes.
#[track_caller]
pub fn run(job: &LinkJob) -> LinkOutcome {
    pipeline::run(job).unwrap_or_else(|error| panic!("level {}: {error}", job.optimise.level))
}
