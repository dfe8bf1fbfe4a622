//! `doctor` and `clean`.

use std::path::Path;

use concord_tests::{Answer, Fixture};

#[test]
fn doctor_finds_all_that_a_build_needs() {
    let fixture = Fixture::new("assembly");
    let answer = fixture.run("doctor --json");
    let answer: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let checks = answer["checks"].as_array().unwrap();
    for name in ["rustc", "LLVM", "concord-pass", "linker"] {
        let check = checks.iter().find(|check| check["name"] == name).unwrap();
        assert_eq!(check["verdict"], "ok", "{check}");
    }
}

#[test]
fn doctor_fails_with_the_mend_when_the_pass_is_missing() {
    let fixture = Fixture::new("assembly");
    let mut command = fixture.command(["doctor"]);
    let answer = Answer::of(command.env("CONCORD_PASS", "/nowhere/concord-pass"));
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.stdout.contains("FAIL  concord-pass") && answer.stdout.contains("/nowhere"),
        "{}",
        answer.stdout
    );
}

#[test]
fn doctor_reads_what_the_build_printed() {
    let fixture = Fixture::new("assembly");
    fixture.run("build --release");
    let report = fixture.report("release/assembly");
    let binary = fixture.artefact("release/assembly");
    let answer = Answer::of(&mut fixture.command([Path::new("doctor"), &binary])).succeeded();
    let counts = format!(
        "{} functions instrumented, {} probes, {} loops",
        report.instrumented.len(),
        report.probes,
        report.loops
    );
    assert!(answer.stdout.contains(&counts), "no `{counts}` in {}", answer.stdout);
    let json = Answer::of(fixture.command([Path::new("doctor"), &binary]).arg("--json")).succeeded();
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["concord"]["probes"], report.probes);
}

#[test]
fn doctor_tells_plain_binaries_from_garbage() {
    let fixture = Fixture::new("assembly");
    let plain = std::env::current_exe().unwrap();
    let answer = Answer::of(&mut fixture.command([Path::new("doctor"), &plain])).succeeded();
    assert!(answer.stdout.contains("built without Concord"), "{}", answer.stdout);
    let garbage = fixture.project().join("Cargo.toml");
    let answer = Answer::of(&mut fixture.command([Path::new("doctor"), &garbage]));
    answer.failed(1, &["Cargo.toml is not a 64-bit ELF binary"]);
    Answer::of(&mut fixture.command(["doctor", "/nowhere/binary"]))
        .failed(1, &["cannot read /nowhere/binary"]);
}

#[test]
fn clean_removes_our_folder_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(&folder.path().join("target"));
    let cache = folder.path().join("cache");
    Answer::of(fixture.command(["build"]).env("XDG_CACHE_HOME", &cache)).succeeded();
    let own = folder.path().join("target/own-file");
    std::fs::write(&own, "").unwrap();
    assert!(fixture.artefact("debug/assembly").is_file() && cache.join("concord").is_dir());

    Answer::of(fixture.command(["clean"]).env("XDG_CACHE_HOME", &cache)).succeeded();
    assert!(!fixture.artefact("").exists() && !cache.join("concord").exists());
    assert!(own.is_file());
}
