//! Libraries for C, and the three kinds of tests.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use concord_tests::{Answer, Fixture};
use object::{Object as _, ObjectSymbol as _};

/// Links the fixture's `main.c` with `library` and runs it.
#[track_caller]
fn run_c_program(fixture: &Fixture, library: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("main");
    let mut cc = Command::new("cc");
    cc.arg(fixture.project().join("main.c")).arg(library).arg("-o").arg(&program);
    Answer::of(cc.args(["-lpthread", "-ldl", "-lm"])).succeeded();
    let answer = Answer::of(&mut Command::new(&program)).succeeded();
    assert_eq!(answer.stdout.trim(), "libraries ok");
}

#[track_caller]
fn check_report(fixture: &Fixture, artefact: &str) {
    let report = fixture.report(artefact);
    assert!(report.instrumented.iter().any(|name| name == "libraries_sum"), "{:?}", report.instrumented);
    assert!(report.probes > 0 && report.loops > 0);
}

#[test]
fn shared_library_exports_what_it_should_and_runs_under_c() {
    let fixture = Fixture::new("libraries");
    for (flags, folder) in [("", "debug"), ("--release", "release")] {
        fixture.run(&format!("build {flags}"));
        let library = fixture.artefact(&format!("{folder}/liblibraries.so"));
        check_report(&fixture, &format!("{folder}/liblibraries.so"));
        run_c_program(&fixture, &library);

        let data = std::fs::read(&library).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let exported: BTreeSet<_> = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition())
            .filter_map(|symbol| symbol.name().ok())
            .collect();
        let expected = ["libraries_calls", "libraries_sum", "libraries_survives_a_panic"];
        assert_eq!(exported, BTreeSet::from(expected));
    }
}

#[test]
fn static_library_holds_no_bitcode_and_runs_under_c() {
    let fixture = Fixture::new("libraries");
    for (flags, folder) in [("", "debug"), ("--release", "release")] {
        fixture.run(&format!("build {flags}"));
        let library = fixture.artefact(&format!("{folder}/liblibraries.a"));
        check_report(&fixture, &format!("{folder}/liblibraries.a"));
        run_c_program(&fixture, &library);

        let data = std::fs::read(&library).unwrap();
        let archive = object::read::archive::ArchiveFile::parse(&*data).unwrap();
        let mut own = 0;
        for member in archive.members().map(Result::unwrap) {
            let name = String::from_utf8_lossy(member.name()).into_owned();
            assert!(!member.data(&*data).unwrap().starts_with(b"BC\xc0\xde"), "{name} is bitcode");
            own += usize::from(name == "libraries.concord.o");
        }
        assert_eq!(own, 1, "the instrumented object is not in the library");
    }
}

#[test]
fn unit_integration_and_doc_tests_run_instrumented() {
    let fixture = Fixture::new("doctests");
    let answer = fixture.run("test");
    for passed in ["test tests::unit ... ok", "test integration ... ok", "triangle (line"] {
        assert!(answer.stdout.contains(passed), "no `{passed}` in {}", answer.stdout);
    }
    assert_eq!(answer.stderr.matches("functions instrumented").count(), 2, "{}", answer.stderr);
}
