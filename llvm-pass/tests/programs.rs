//! Programs that run: vector registers across a taken probe, source lines, breakpoints.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use concord_job::OutputKind;
use support::link::{self, succeed};
use support::machine;

/// `programs/vectors.c` through the pass, linked to its main program and to a slow path that destroys all vectors.
struct Program {
    folder: tempfile::TempDir,
}

static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = link::sources().join("programs");
    let native = |name: &str| {
        let object = folder.path().join(format!("{name}.o"));
        succeed(Command::new("clang").args(["-c", "-O1", "-o"]).arg(&object).arg(sources.join(name)));
        object
    };
    let (slow, main) = (native("slow.s"), native("main.c"));
    let bitcode = link::c(&sources.join("vectors.c"), "2", folder.path());
    let job = link::job(&[&bitcode, &slow, &main], "2", OutputKind::Executable, folder.path());
    let object = link::run(&job).object.expect("there was bitcode");
    let program = folder.path().join("program");
    succeed(Command::new("clang").args([&object, &slow, &main]).arg("-o").arg(program));
    Program { folder }
});

impl Program {
    fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }
}

#[test]
fn vectors_live_across_taken_probes() {
    let output = Command::new(PROGRAM.path()).output().expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("the program prints text");
    let mut expected = vec!["plain right 1"];
    if std::arch::is_x86_feature_detected!("avx2") {
        expected.push("avx2 right 1");
    }
    if std::arch::is_x86_feature_detected!("avx512f") {
        expected.push("avx512 right 1");
    }
    expected.push("chase 99999");
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

/// The first line of `vectors.c` that holds `text`, from 1.
fn line_of(text: &str) -> u32 {
    let source = std::fs::read_to_string(link::sources().join("programs/vectors.c")).expect("it can be read");
    let line = source.lines().position(|line| line.contains(text)).expect("the line is there");
    line as u32 + 1
}

#[test]
fn probes_have_the_source_lines_of_their_loops() {
    let program = std::fs::read(PROGRAM.path()).expect("the program can be read");
    let lines = addr2line::Loader::new(PROGRAM.path()).expect("the program has debug information");
    let functions = machine::functions(&program, &Default::default());
    let loops = [("mix_avx2", "void mix_avx2", "void mix_avx512"), ("chase", "long chase", "return steps")];
    for (name, first, last) in loops {
        let function = functions.iter().find(|function| function.name == name).expect("it was linked");
        assert!(function.probes() > 0, "{name} has no probe");
        for &probe in &function.probes {
            let address = function.instructions[probe].ip();
            let place = lines.find_location(address).expect("the table can be read").expect("it has a line");
            let file = Path::new(place.file.expect("it has a file"));
            assert_eq!(file.file_name().expect("a file"), "vectors.c");
            let line = place.line.expect("it has a line");
            assert!((line_of(first)..=line_of(last)).contains(&line), "{name}: {line}");
        }
    }
}

#[test]
fn gdb_stops_in_an_instrumented_loop() {
    if Command::new("gdb").arg("--version").output().is_err() {
        println!("gdb is not installed: nothing was tested");
        return;
    }
    let place = format!("break vectors.c:{}", line_of("while (next"));
    let output = Command::new("gdb")
        .args(["-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", &place, "-ex", "run"])
        .args(["-ex", "backtrace", "-ex", "continue 10", "-ex", "print next[0]"])
        .arg(PROGRAM.path())
        .output()
        .expect("gdb starts");
    let text = String::from_utf8_lossy(&output.stdout);
    for words in ["Breakpoint 1, chase (", "in main (", "$1 = 1"] {
        assert!(
            text.contains(words),
            "'{words}' is not in: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    // Once at the first round, and again inside the loop.
    assert_eq!(text.matches("Breakpoint 1, chase (").count(), 2, "{text}");
}
