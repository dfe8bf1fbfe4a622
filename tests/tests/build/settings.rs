//! What the user set survives; what he asks of us works.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use concord_tests::{Answer, Fixture, TARGET};

/// A script that notes its arguments in `<path>.log` and becomes `program`.
fn noting_script(path: &Path, program: &str) -> PathBuf {
    let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec {program} \"$@\"\n", log_of(path).display());
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

fn log_of(script: &Path) -> PathBuf {
    script.with_extension("log")
}

#[test]
fn rustflags_survive() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("profiles").copied_to(folder.path()).unwrap();
    let mut command = fixture.command(["run"]);
    let answer = Answer::of(command.env("RUSTFLAGS", "--cfg rustflags_survived")).succeeded();
    assert_eq!(answer.stdout.trim(), "profiles ok with rustflags");

    let config = fixture.project().join(".cargo");
    std::fs::create_dir(&config).unwrap();
    let text = "[target.'cfg(unix)']\nrustflags = ['--cfg', 'rustflags_survived']\n";
    std::fs::write(config.join("config.toml"), text).unwrap();
    assert_eq!(fixture.run("run").stdout.trim(), "profiles ok with rustflags");
    assert!(fixture.report(&format!("{TARGET}/debug/profiles")).probes > 0);
}

#[test]
fn a_rustc_wrapper_is_chained_and_a_linker_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let wrapper = folder.path().join("wrapper");
    let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec \"$@\"\n", log_of(&wrapper).display());
    std::fs::write(&wrapper, text).unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let linker = noting_script(&folder.path().join("linker"), "cc");

    let fixture = Fixture::new("profiles").in_target(&folder.path().join("target"));
    let mut command = fixture.command(["run"]);
    command.env("RUSTC_WRAPPER", &wrapper).env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", &linker);
    let answer = Answer::of(&mut command).succeeded();
    assert_eq!(answer.stdout.trim(), "profiles ok");

    let compiled = std::fs::read_to_string(log_of(&wrapper)).unwrap();
    for name in ["profiles_kernels", "profiles"] {
        let call = format!("--crate-name {name} ");
        assert!(
            compiled.lines().any(|line| line.contains(&call)),
            "the wrapper did not see {name}:\n{compiled}"
        );
    }
    let linked = std::fs::read_to_string(log_of(&linker)).unwrap();
    assert!(linked.contains("-o ") && !linked.contains("plugin-opt"), "{linked}");
    assert!(fixture.report(&format!("{TARGET}/debug/profiles")).probes > 0);
}

#[test]
fn json_messages_are_cargos_own() {
    let fixture = Fixture::new("profiles");
    let answer = fixture.run("build --message-format=json");
    let messages: Vec<serde_json::Value> =
        answer.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let program =
        messages.iter().find_map(|message| message["executable"].as_str()).expect("a program is named");
    assert!(Path::new(program).is_file(), "{program}");
    assert!(messages.iter().any(|message| message["reason"] == "build-finished"));
}

#[test]
fn a_target_of_the_user_keeps_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(folder.path());
    fixture.run(&format!("build --target {TARGET}"));
    assert!(fixture.artefact(&format!("{TARGET}/debug/assembly")).is_file());
    assert!(!fixture.artefact("debug/assembly").exists());
}

#[test]
fn a_build_without_probes_has_none_and_lies_beside() {
    let fixture = Fixture::new("profiles");
    fixture.run("build --release");
    fixture.run("build --release --no-probes");
    assert!(fixture.report("release/profiles").probes > 0);
    assert_eq!(fixture.report("no-probes/release/profiles").probes, 0);
    let program = fixture.artefact("no-probes/release/profiles");
    assert_eq!(Answer::of(&mut Command::new(&program)).succeeded().stdout.trim(), "profiles ok");
    let answer = Answer::of(&mut fixture.command([Path::new("doctor"), &program])).succeeded();
    assert!(answer.stdout.contains("--no-probes"), "{}", answer.stdout);
}

#[test]
fn a_saved_link_can_be_repeated_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("profiles").in_target(&folder.path().join("target"));
    let saved = folder.path().join("saved");
    Answer::of(fixture.command(["build", "--release"]).arg("--save-dir").arg(&saved)).succeeded();
    std::fs::remove_dir_all(folder.path().join("target")).unwrap();
    let moved = folder.path().join("moved");
    std::fs::rename(&saved, &moved).unwrap();

    let link = moved.join("profiles");
    Answer::of(Command::new(link.join("replay.sh")).current_dir("/")).succeeded();
    let answer = Answer::of(&mut Command::new(link.join("profiles"))).succeeded();
    assert_eq!(answer.stdout.trim(), "profiles ok");
}

#[test]
fn a_saved_static_library_repeats_the_pass() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("libraries").in_target(&folder.path().join("target"));
    let saved = folder.path().join("saved");
    Answer::of(fixture.command(["build", "--save-dir"]).arg(&saved)).succeeded();
    for artefact in ["liblibraries.a", "liblibraries.so"] {
        let link = saved.join(artefact);
        assert!(!link.join("outcome.json").exists());
        Answer::of(&mut Command::new(link.join("replay.sh"))).succeeded();
        assert!(link.join("outcome.json").is_file(), "{artefact}");
    }
}

#[test]
fn dumped_stages_are_left_where_the_build_says() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("assembly").in_target(folder.path());
    let answer = fixture.run("build --dump-stages merge,probe");
    let dumps = fixture.artefact("links/assembly");
    assert!(answer.stderr.contains(&dumps.display().to_string()), "{}", answer.stderr);
    let merged = std::fs::read_to_string(dumps.join("merge.ll")).unwrap();
    let probed = std::fs::read_to_string(dumps.join("probe.ll")).unwrap();
    assert!(merged.contains("count_up") && probed.contains("concord_line"));
}
