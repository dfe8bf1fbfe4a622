//! Crates with something special in them: host code, assembly, sections, C and C++.

use std::path::{Path, PathBuf};

use concord_tests::{Answer, Fixture, TARGET, instrumented_below};

/// Builds and runs a fixture in both ordinary profiles.
#[track_caller]
fn run_both(name: &str) -> Fixture {
    let fixture = Fixture::new(name);
    for (flags, folder) in [("", "debug"), ("--release", "release")] {
        let answer = fixture.run(&format!("run {flags}"));
        assert_eq!(answer.stdout.trim(), format!("{name} ok"));
        let report = fixture.report(&format!("{TARGET}/{folder}/{name}"));
        assert!(report.probes > 0, "no probes in {name}, {folder}");
    }
    fixture
}

#[test]
fn host_code_is_not_touched() {
    let fixture = run_both("host-code");
    let report = fixture.report(&format!("{TARGET}/release/host-code"));
    assert!(report.instrumented.iter().any(|name| name == "host_code::weigh"));
    let derive = instrumented_below(&report, "host_code_derive");
    assert!(derive.is_empty(), "the proc macro is instrumented: {derive:?}");

    let mut looked_at = 0;
    for file in files_below(&fixture.artefact("release")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_macro = name.starts_with("libhost_code_derive") && name.ends_with(".so");
        let is_script = name == "build-script-build" && is_script_of(&file, "host-code");
        if is_macro || is_script {
            let answer = Answer::of(&mut fixture.command([Path::new("doctor"), &file])).succeeded();
            assert!(answer.stdout.contains("built without Concord"), "{}", answer.stdout);
            looked_at += 1;
        }
    }
    assert!(looked_at >= 2, "build script and proc macro were not found");
}

fn is_script_of(file: &Path, package: &str) -> bool {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().starts_with(package)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

#[test]
fn assembly_keeps_what_it_names() {
    let fixture = run_both("assembly");
    let report = fixture.report(&format!("{TARGET}/release/assembly"));
    assert!(report.instrumented.iter().any(|name| name == "count_up"), "{:?}", report.instrumented);
}

#[test]
fn statics_found_by_section_survive() {
    let fixture = run_both("registry");
    let report = fixture.report(&format!("{TARGET}/release/registry"));
    for name in ["registry_plugins::squares", "registry::cubes"] {
        assert!(report.instrumented.iter().any(|function| function == name), "{name} is not instrumented");
    }
}

#[test]
fn a_request_is_preempted_by_the_runtime() {
    let fixture = run_both("service");
    let report = fixture.report(&format!("{TARGET}/release/service"));
    let handler = "<service::Waiting as concord::service::Service>::handle_request";
    assert!(report.instrumented.iter().any(|name| name == handler), "{handler} is not instrumented");
    let scheduler = instrumented_below(&report, "concord::");
    assert!(scheduler.is_empty(), "the runtime itself is instrumented: {scheduler:?}");
}

#[test]
fn writers_that_wait_for_each_other_on_one_worker_end() {
    let fixture = run_both("writers");
    let report = fixture.report(&format!("{TARGET}/release/writers"));
    let guarded = report.guards.iter().any(|guard| guard.entry == "pthread" && guard.acquires > 0);
    assert!(guarded, "the queue's mutex is no guard: {:?}", report.guards);
}

#[test]
fn c_and_cxx_are_instrumented() {
    let fixture = run_both("native-code");
    let report = fixture.report(&format!("{TARGET}/release/native-code"));
    for name in ["numbers_collatz_steps", "shapes::total", "native_code_visit"] {
        let found = report.instrumented.iter().any(|function| function.starts_with(name));
        assert!(found, "{name} is not instrumented: {:?}", report.instrumented);
    }
}

#[test]
fn cmake_gets_its_answers_and_its_code_is_instrumented() {
    let fixture = run_both("cmake-code");
    let report = fixture.report(&format!("{TARGET}/release/cmake-code"));
    for name in ["ledger::total", "ledger_add_all"] {
        let found = report.instrumented.iter().any(|function| function.starts_with(name));
        assert!(found, "{name} is not instrumented: {:?}", report.instrumented);
    }
    let guarded = report.guards.iter().any(|guard| guard.entry == "pthread" && guard.acquires > 0);
    assert!(guarded, "std::mutex is no guard: {:?}", report.guards);
}

#[test]
fn c_code_of_the_host_stays_native() {
    let fixture = run_both("native-code");
    let mut libraries = 0;
    for file in
        files_below(&fixture.artefact("release")).iter().filter(|file| file.ends_with("libhost_numbers.a"))
    {
        let data = std::fs::read(file).unwrap();
        let archive = object::read::archive::ArchiveFile::parse(&*data).unwrap();
        for member in archive.members().map(Result::unwrap) {
            assert!(member.data(&*data).unwrap().starts_with(b"\x7fELF"), "{} is not native", file.display());
        }
        libraries += 1;
    }
    assert_eq!(libraries, 1, "the host's C library was not found");
}

#[test]
fn a_compiler_of_the_user_is_used_and_said() {
    let target = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("native-code").in_target(target.path());
    let mut command = fixture.command(["run"]);
    let answer = Answer::of(command.env("CC", "cc").env("CXX", "c++")).succeeded();
    assert_eq!(answer.stdout.trim(), "native-code ok");
    assert!(answer.stderr.contains("concord: CC is set"), "{}", answer.stderr);
    let report = fixture.report(&format!("{TARGET}/debug/native-code"));
    let native = instrumented_below(&report, "numbers_");
    assert!(native.is_empty(), "C code of the user's own compiler is instrumented: {native:?}");
    assert!(report.instrumented.iter().any(|name| name == "native_code_visit"));
}
