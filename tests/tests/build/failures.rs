//! Failures: each with one clear message, and never reported as success.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use concord_tests::{Answer, Fixture};

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A folder for `PATH` with all that a build needs but clang.
fn path_without_clang(folder: &Path, command: &Command) -> PathBuf {
    let tools = folder.join("tools");
    std::fs::create_dir(&tools).unwrap();
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    for name in ["cargo", "cargo-concord", "rustc", "cc", "c++", "gcc", "g++", "ld", "as", "ar", "sh"] {
        let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
        if let Some(found) = found {
            symlink(found, tools.join(name)).unwrap();
        }
    }
    tools
}

#[test]
fn missing_and_too_new_clang_are_said_when_c_code_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("native-code").in_target(&folder.path().join("target"));
    let mut command = fixture.command(["build"]);
    let tools = path_without_clang(folder.path(), &command);
    let missing = Answer::of(command.env("PATH", &tools));
    missing.failed(101, &["clang is not installed", "apt-get install clang", "set CC and CXX"]);

    for name in ["clang", "clang++"] {
        script(&tools, name, "echo 'clang version 99.0.1'");
    }
    Answer::of(&mut command).failed(101, &["clang 99 is newer than rustc's LLVM", "or older"]);

    let rust_only = Fixture::new("assembly").in_target(&folder.path().join("target"));
    Answer::of(rust_only.command(["build"]).env("PATH", &tools)).succeeded();
}

#[test]
fn exit_codes_are_those_of_cargo_and_the_program() {
    let fixture = Fixture::new("profiles");
    assert_eq!(Answer::of(&mut fixture.command(["run", "--", "7"])).code, Some(7));
    assert_eq!(Answer::of(&mut fixture.command(["build", "--no-such-flag"])).code, Some(1));
    let tests = Fixture::new("doctests");
    let answer = Answer::of(&mut tests.command(["test", "--", "--include-ignored"]));
    assert_eq!(answer.code, Some(101), "{}", answer.stderr);
    assert!(answer.stdout.contains("test tests::fails ... FAILED"), "{}", answer.stdout);

    let folder = tempfile::tempdir().unwrap();
    let broken = Fixture::new("assembly").copied_to(folder.path()).unwrap();
    std::fs::write(broken.project().join("src/main.rs"), "fn main() { undefined() }").unwrap();
    Answer::of(&mut broken.command(["build"])).failed(101, &["cannot find function `undefined`"]);
    assert!(!broken.artefact("debug/assembly").exists());
}

#[test]
fn a_failing_linker_or_pass_fails_the_build() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(&folder.path().join("target"));
    let mut command = fixture.command(["build"]);
    let linker = script(folder.path(), "linker", "echo no space left >&2; exit 3");
    command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", linker);
    Answer::of(&mut command).failed(101, &["exit status: 3", "no space left"]);

    let mut command = fixture.command(["build"]);
    command.env("CONCORD_PASS", "/bin/false");
    Answer::of(&mut command).failed(101, &["concord-pass failed", "--save-dir"]);
    assert!(!fixture.artefact("debug/assembly").exists());
}

#[test]
fn a_wrapper_that_drops_our_options_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let text = "for word in \"$@\"; do shift; case \"$word\" in -Clinker-plugin-lto) ;; *) set -- \"$@\" \"$word\" ;; \
                esac; done; exec \"$@\"";
    let wrapper = script(folder.path(), "wrapper", text);
    let fixture = Fixture::new("assembly").in_target(&folder.path().join("target"));
    let mut command = fixture.command(["build"]);
    let answer = Answer::of(command.env("RUSTC_WRAPPER", wrapper));
    answer.failed(101, &["no input of this link is bitcode", "RUSTC_WRAPPER"]);
}

#[test]
fn a_missing_pass_an_unknown_llvm_and_a_foreign_target_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(folder.path());
    let mut command = fixture.command(["build"]);
    command.env("CONCORD_PASS", "/nowhere/concord-pass");
    Answer::of(&mut command).failed(1, &["CONCORD_PASS names /nowhere/concord-pass"]);

    let rustc =
        script(folder.path(), "rustc", "rustc \"$@\" | sed 's/^LLVM version.*/LLVM version: 99.1.0/'");
    let mut command = fixture.command(["build"]);
    command.env("RUSTC", rustc);
    Answer::of(&mut command).failed(1, &["needs LLVM", "brings LLVM 99.1.0", "CONCORD_PASS"]);

    let mut command = fixture.command(["build", "--target", "aarch64-unknown-linux-gnu"]);
    Answer::of(&mut command).failed(1, &["aarch64-unknown-linux-gnu", "x86_64 Linux alone"]);
}

#[test]
fn a_bare_linker_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(folder.path());
    let mut command = fixture.command(["build"]);
    command.env("RUSTFLAGS", "-C linker-flavor=ld");
    Answer::of(&mut command).failed(101, &["linker-flavor=ld", "-fuse-ld="]);
}

#[test]
fn a_folder_without_a_package_is_refused_in_cargos_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Fixture::new("assembly").command(["build"]);
    command.env_remove("CARGO_TARGET_DIR").current_dir(folder.path());
    Answer::of(&mut command).failed(1, &["could not find `Cargo.toml`"]);
}
