//! What becomes of a crate among others: as fast as Cargo's own build, in no more stack, and not prepared twice.

use std::path::Path;

use concord_job::Report;
use concord_tests::{Fixture, TARGET};

#[test]
fn small_functions_of_other_crates_leave_tail_calls_tail_calls() {
    let fixture = Fixture::new("tail-calls");
    for build in ["--release --no-probes", "--release"] {
        let answer = fixture.run(&format!("run {build}"));
        assert_eq!(answer.stdout.trim(), "tail-calls ok", "{build}");
    }
}

/// Replaces text in a source file, so that Cargo builds anew.
fn edit(fixture: &Fixture, file: &str, old: &str, new: &str) {
    let path = fixture.project().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} lacks `{old}`");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

fn build(fixture: &Fixture) -> Report {
    let answer = fixture.run("run --release");
    assert_eq!(answer.stdout.trim(), "tail-calls ok");
    fixture.report(&format!("{TARGET}/release/tail-calls"))
}

#[test]
fn units_are_prepared_again_when_they_or_what_is_lent_to_them_changed() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("tail-calls").copied_to(folder.path()).unwrap();
    let first = build(&fixture);
    assert!(first.units >= 3 && first.reused == 0, "{} of {} units reused", first.reused, first.units);

    edit(&fixture, "src/main.rs", "sum ^ 5", "sum ^ 7");
    let changed = build(&fixture);
    assert_eq!(changed.reused, changed.units - 1, "the program's own unit alone changed");
    assert_eq!(changed.instrumented, first.instrumented);

    edit(&fixture, "src/main.rs", "sum ^ 7", "sum ^ 5");
    let same = build(&fixture);
    assert_eq!((same.reused, same.probes), (same.units, first.probes), "all is as it was");

    // The program asserts what `end` gives, and calls no copy of the old one.
    edit(&fixture, "spans/src/lib.rs", "u32::from(self.length)", "u32::from(self.length) + 1");
    edit(&fixture, "src/main.rs", "left + 1", "left + 2");
    let lent = build(&fixture);
    assert_eq!(lent.reused, lent.units - 2, "the lender's unit and the borrower's changed");
}

#[test]
fn damaged_entries_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("tail-calls").copied_to(folder.path()).unwrap();
    let first = build(&fixture);
    let entries = std::fs::read_dir(fixture.artefact("units")).unwrap();
    let damaged = entries.map(|entry| damage(&entry.unwrap().path())).count();
    assert!(damaged >= first.units as usize, "{damaged} entries");

    edit(&fixture, "src/main.rs", "println", "/* */ println");
    assert_eq!(build(&fixture).reused, 0);
    edit(&fixture, "src/main.rs", "/* */ println", "/*  */ println");
    let healed = build(&fixture);
    assert!(healed.reused >= healed.units - 1, "{} of {} units reused", healed.reused, healed.units);
}

fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
}
