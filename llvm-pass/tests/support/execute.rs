//! Runs what the pass makes: kernels through the whole pipeline, linked to a driver whose line is always armed.

use std::path::{Path, PathBuf};
use std::process::Command;

use concord_job::{Exports, Input, Instrument, LinkJob, Lto, Optimise, OutputKind, Probes};
use concord_pass::pipeline;

/// The line armed for good, guards at rest, a short countdown, and slow paths that count.
pub const COUNTER: &str = r#"
    .section .tdata,"awT",@progbits
    .globl concord_line
    .type concord_line, @object
    .p2align 7
concord_line:
    .long 0xffffffff
    .zero 124
    .globl concord_guard
    .type concord_guard, @object
    .p2align 7
concord_guard:
    .long 1
    .zero 124
    .globl concord_countdown
    .type concord_countdown, @object
    .p2align 7
concord_countdown:
    .long 100
    .zero 124
    .text
    .globl concord_probe_slow, concord_guard_slow, concord_clock_slow, concord_second
concord_second:
    xorl %eax, %eax
    ret
concord_clock_slow:
    incq clock_looks(%rip)
    movl $100, %fs:concord_countdown@tpoff
    ret
concord_probe_slow:
    incq probes_taken(%rip)
concord_guard_slow:
    ret
    .bss
    .globl probes_taken, clock_looks
    .p2align 3
probes_taken:
    .zero 8
clock_looks:
    .zero 8
    .section .note.GNU-stack,"",@progbits
"#;

/// Kernels and their driver: `machine/NAME.rs` and `machine/NAME_driver.rs`.
pub struct Program {
    folder: tempfile::TempDir,
    name: &'static str,
}

impl Program {
    /// Compiles the kernels to bitcode.
    pub fn new(name: &'static str) -> Self {
        let program = Self { folder: tempfile::tempdir().expect("a temporary folder"), name };
        let counter = program.path("counter.s");
        std::fs::write(&counter, COUNTER).expect("the counter is written");
        run(Command::new("cc").arg("-c").arg(&counter).arg("-o").arg(program.path("counter.o")));
        run(Command::new("rustc")
            .args(["--crate-type=lib", "--edition=2024", "--emit=llvm-bc", "-Ccodegen-units=1"])
            .args(["-Clinker-plugin-lto", "-Cno-prepopulate-passes", "-Copt-level=3"])
            .arg(format!("-Cincremental={}", program.path("incremental").display()))
            .arg(source(name))
            .arg("-o")
            .arg(program.path("kernels.bc")));
        program
    }

    /// What the driver prints with the kernels built so.
    pub fn output(&self, probes: Probes) -> String {
        let work_dir = self.path(&format!("{probes:?}"));
        std::fs::create_dir_all(&work_dir).expect("a folder for the object");
        let inputs = ["kernels.bc", "counter.o"].map(|file| Input::Object { path: self.path(file) });
        let job = LinkJob {
            inputs: inputs.to_vec(),
            output: OutputKind::Executable,
            artefact: self.name.to_owned(),
            exports: Exports::All,
            roots: Vec::new(),
            optimise: Optimise { level: "3".to_owned(), lto: Lto::Off, cpu: None, debug_info: false },
            instrument: Instrument { probes, ..Instrument::default() },
            work_dir: work_dir.clone(),
            cache: None,
            dump: Vec::new(),
        };
        let object = pipeline::run(&job).expect("the pass succeeds").object.expect("there was bitcode");
        let program = work_dir.join("program");
        run(Command::new("rustc")
            .args(["--edition=2024", "-Copt-level=1"])
            .arg(source(&format!("{}_driver", self.name)))
            .arg(format!("-Clink-arg={}", object.display()))
            .arg(format!("-Clink-arg={}", self.path("counter.o").display()))
            .arg("-o")
            .arg(&program));
        let output = Command::new(&program).output().expect("the program starts");
        assert!(output.status.success(), "{probes:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("the program prints text")
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine").join(format!("{name}.rs"))
}

fn run(command: &mut Command) {
    let status = command.current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.expect("the compiler starts").success(), "{command:?}");
}
