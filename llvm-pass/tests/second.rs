//! The machine code of clones, and how it runs.

mod support;

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use concord_job::{LinkJob, OutputKind, Probes};
use concord_pass::verify::reader::Diverging;
use iced_x86::{FlowControl, Instruction, Mnemonic, Register};
use support::link::{self, succeed};
use support::machine::{self, Function};

/// The functions of `machine/clones.rs` that have a clone.
const CLONED: [&str; 4] = ["fib", "longest", "total", "vector_sum"];

#[test]
fn a_clone_looks_at_the_clock_and_a_worker_at_its_line() {
    let program = support::execute::Program::new("clones");
    assert_eq!(
        program.output(Probes::Full),
        "worker 705240045 true false\nclone true\nsecond 705240045 false true\nsame true\n"
    );
}

/// Clones of `machine/clones.rs` at a level, and the job's count of their probes.
fn made(level: &str, output: OutputKind, second_build: bool) -> (Vec<Function>, u32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bitcode = link::rust(&link::sources().join("machine/clones.rs"), level, folder.path());
    let counter = counter(folder.path());
    let job = link::job(&[&bitcode, &counter], level, output, folder.path());
    let instrument = concord_job::Instrument { second_build, ..job.instrument.clone() };
    let outcome = link::run(&LinkJob { instrument, ..job });
    let object = std::fs::read(outcome.object.expect("there was bitcode")).expect("the object can be read");
    (machine::functions(&object, &Diverging::default()), outcome.report.second.probes)
}

fn counter(folder: &Path) -> std::path::PathBuf {
    let (source, object) = (folder.join("counter.s"), folder.join("counter.o"));
    std::fs::write(&source, support::execute::COUNTER).expect("the counter is written");
    succeed(Command::new("cc").arg("-c").arg(&source).arg("-o").arg(&object));
    object
}

/// `sub dword ptr fs:[..], weight`
fn is_countdown(step: &Instruction) -> bool {
    step.mnemonic() == Mnemonic::Sub && step.memory_segment() == Register::FS
}

#[track_caller]
fn check(level: &str, output: OutputKind) {
    let (functions, placed) = made(level, output, true);
    let clones: Vec<_> = functions.iter().filter(|function| function.name.ends_with(".dispatcher")).collect();
    let names: HashSet<&str> =
        clones.iter().filter_map(|clone| clone.name.strip_suffix(".dispatcher")).collect();
    for name in CLONED {
        assert!(names.contains(name), "{name} has no clone at level {level}: {names:?}");
    }
    assert!(!names.contains("nothing_to_probe"), "both builds share what has no probe");
    let mut probes = 0;
    for clone in clones {
        for (at, _) in clone.instructions.iter().enumerate().filter(|(_, step)| is_countdown(step)) {
            probes += 1;
            let jump = clone.instructions[at + 1..]
                .iter()
                .find(|step| step.flow_control() != FlowControl::Next || step.rflags_modified() != 0);
            let is_borrow = jump.is_some_and(|jump| matches!(jump.mnemonic(), Mnemonic::Jb | Mnemonic::Jae));
            assert!(is_borrow, "{}: {jump:?}", clone.name);
        }
    }
    assert!(probes > 2 && probes >= placed as usize, "{probes} of {placed}");
    let by_name =
        |name: &str| functions.iter().find(|function| function.name == name).expect("it was emitted");
    assert_eq!(by_name("vector_sum").is_vectorised(), by_name("vector_sum.dispatcher").is_vectorised());
}

#[test]
fn a_clones_probe_is_a_subtraction_and_a_jump() {
    check("3", OutputKind::Executable);
    check("s", OutputKind::Executable);
}

#[test]
fn a_clones_probe_in_a_shared_object() {
    check("3", OutputKind::SharedObject);
}

#[test]
fn without_a_second_build_nothing_is_cloned() {
    let (functions, placed) = made("3", OutputKind::Executable, false);
    assert_eq!(placed, 0);
    assert!(functions.iter().all(|function| !function.name.ends_with(".dispatcher")));
}
