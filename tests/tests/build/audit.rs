//! `audit` and `explain`.

use std::path::PathBuf;

use concord_job::{
    FunctionReport, PICOSECONDS_PER_INSTRUCTION, Place, Report, SiteKind, SiteReport, Skipped, write_json,
};
use concord_tests::{Answer, Fixture};
use serde_json::Value;

fn json(fixture: &Fixture, words: &str) -> Value {
    serde_json::from_str(&fixture.run(words).stdout).expect("stdout is JSON")
}

fn nanoseconds(instructions: u32) -> u32 {
    instructions * PICOSECONDS_PER_INSTRUCTION / 1000
}

#[test]
fn an_audit_builds_and_tells_of_its_artefact() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("profiles").in_target(folder.path());
    let built = json(&fixture, "audit --release --json --bound 800");
    assert_eq!((&built["bound_instructions"], &built["bound_ns"]), (&800.into(), &nanoseconds(800).into()));
    let artefact = built["artefacts"][0].as_str().unwrap();
    assert!(artefact.ends_with("release/profiles"), "{artefact}");
    let reasons = built["skipped"].as_array().unwrap();
    assert!(reasons.iter().any(|skipped| skipped["function"] == "std::rt::lang_start"), "{built}");
    let primes = function(&built, "profiles_kernels::primes_below");
    assert_eq!(primes["crate"], "profiles_kernels");
    assert!(primes["longest_path_instructions"].as_u64().unwrap() > 0, "{primes}");
    let loops: u64 = primes["loops"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert!(loops >= 2, "{primes}");
    let crates = built["crates"].as_array().unwrap();
    assert!(
        crates.iter().any(|row| row["name"] == "profiles_kernels" && row["functions"].as_u64() > Some(0))
    );

    let report = fixture.report("release/profiles");
    assert_eq!(built["probes"], report.probes);

    let read = json(&fixture, &format!("audit --json --artefact {artefact}"));
    assert_eq!(read, built);
}

fn function<'a>(audit: &'a Value, name: &str) -> &'a Value {
    let functions = audit["functions"].as_array().unwrap();
    functions.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {audit}"))
}

#[test]
fn explain_shows_the_loops_of_a_build_on_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("profiles").in_target(folder.path());
    let mut command = fixture.command(["explain", "primes_below", "--release"]);
    // Everything that is inlined stands on a line of the function itself.
    let text = Answer::of(command.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only")).succeeded().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("profiles_kernels::primes_below  (kernels/src/lib.rs:"), "{text}");
    let files = lines.iter().filter(|line| line.ends_with(".rs")).count();
    assert_eq!(files, 1, "{text}");
    let outer =
        lines.iter().position(|line| line.ends_with("for n in 2..limit {")).expect("the loop is shown");
    assert!(lines[outer + 1].contains(" loop"), "{text}");

    // Cargo keeps both builds, and puts the one that is asked for into place.
    let without = |answer: Answer| answer.succeeded().stdout.contains("has no debug information");
    assert!(without(Answer::of(&mut fixture.command(["explain", "primes_below", "--release"]))));
    assert!(!without(Answer::of(&mut command)));
}

#[test]
fn an_audit_of_what_is_not_instrumented_is_refused() {
    let fixture = Fixture::new("profiles");
    let audit = |words: &[&str]| Answer::of(&mut fixture.command([&["audit"], words].concat()));
    audit(&["-p", "profiles-kernels"]).failed(1, &["this build links nothing", "-p"]);
    audit(&["--no-probes"]).failed(1, &["neither guards nor probes", "without --no-probes"]);
    audit(&["--artefact", "/nowhere/app"]).failed(1, &["/nowhere/app has no report", "cargo concord build"]);
    audit(&["--artefact", "x", "--release"]).failed(1, &["`--release` is for a build"]);
    audit(&["--no-such-flag"]).failed(1, &["--no-such-flag"]);
}

/// An artefact with a report of our own, of functions in the fixture `profiles`.
fn reported(folder: &tempfile::TempDir, has_lines: bool) -> PathBuf {
    let place = |line| has_lines.then(|| Place { file: "kernels/src/lib.rs".to_owned(), line });
    let site = |kind, line, reason: &str| SiteReport {
        kind,
        place: place(line),
        call: None,
        reason: reason.to_owned(),
    };
    let fib = FunctionReport {
        name: "profiles_kernels::fib".to_owned(),
        symbol: "fib".to_owned(),
        crate_name: Some("profiles_kernels".to_owned()),
        place: place(6),
        longest_path: 2000,
        sites: vec![site(SiteKind::Probe, 7, "calls itself"), site(SiteKind::UnprobedCall, 20, "write")],
        ..FunctionReport::default()
    };
    let skipped = Skipped {
        function: "std::rt::lang_start".to_owned(),
        reason: "std::rt: runs before main".to_owned(),
    };
    let report = Report {
        functions: vec![fib],
        skipped: vec![skipped],
        instrumented: vec!["profiles_kernels::checked_index".to_owned()],
        bound: 1600,
        ..Report::default()
    };
    let artefact = folder.path().join("app");
    write_json(&folder.path().join("app.concord.json"), &report).unwrap();
    artefact
}

#[test]
fn explain_shows_lines_with_sites_and_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let artefact = reported(&folder, true);
    let fixture = Fixture::new("profiles");
    let explain =
        |function: &str| Answer::of(fixture.command(["explain", function, "--artefact"]).arg(&artefact));
    let text = explain("fib").succeeded().stdout;
    for words in [
        "profiles_kernels::fib  (kernels/src/lib.rs:6)",
        &format!("2000 instructions (about {} ns), which is more than bound 1600", nanoseconds(2000)),
        "6 | pub fn fib(n: u64) -> u64 {",
        "*     7 |     if n < 2 { n } else { fib(n - 1) + fib(n - 2) }",
        "= probe: calls itself",
        "= unprobed call: write",
        "...",
    ] {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colour without a terminal: {text}");
    assert!(explain("lang_start").succeeded().stdout.contains("std::rt: runs before main"));
    assert!(explain("checked_index").succeeded().stdout.contains("inlined wherever it is called"));
    explain("fibb").failed(1, &["did you mean", "profiles_kernels::fib"]);
    explain("profiles_kernels").failed(1, &["several names", "profiles_kernels::checked_index"]);
}

#[test]
fn without_lines_explain_says_how_to_get_them() {
    let folder = tempfile::tempdir().unwrap();
    let artefact = reported(&folder, false);
    let fixture = Fixture::new("profiles");
    let answer = Answer::of(fixture.command(["explain", "fib", "--artefact"]).arg(artefact)).succeeded();
    assert!(answer.stdout.contains("= probe: calls itself"), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo concord explain"),
        "{}",
        answer.stdout
    );
}
