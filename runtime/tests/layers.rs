//! Modules import downward only (src/lib.rs draws the layers), and `unsafe` stays in the files that are for it.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top; modules of one layer may import each other.
const LAYERS: [&[&str]; 6] = [
    &["sync", "error", "id"],
    &["ring", "sys"],
    &["context", "request", "service"],
    &["metrics", "policy", "preempt", "transport"],
    &["config", "dispatcher", "worker"],
    &["server", "testing", "micro", "lib"],
];

/// Files that may say `unsafe`.
const UNSAFE: [&str; 19] = [
    "context/current.rs",
    "context/fiber.rs",
    "context/registers.rs",
    "context/task.rs",
    "preempt/guard.rs",
    "preempt/record.rs",
    "preempt/signal.rs",
    "preempt/symbols.rs",
    "preempt/wait.rs",
    "preempt/watch.rs",
    "ring/spsc.rs",
    "service.rs",
    "sys/affinity.rs",
    "sys/clock.rs",
    "sys/second.rs",
    "sys/socket.rs",
    "sys/weak.rs",
    "transport/in_process/notes.rs",
    "worker/runner.rs",
];

fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("tests.rs") {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push((name, code(&fs::read_to_string(path).unwrap())));
            }
        }
    }
    assert!(files.len() > 30, "the sources were not found");
    files
}

/// Without comments and without the tests at the end.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn layer(module: &str) -> usize {
    let position = LAYERS.iter().position(|layer| layer.contains(&module));
    position.unwrap_or_else(|| panic!("module `{module}` has no layer"))
}

#[test]
fn modules_import_downward_only() {
    let mut imports = 0;
    for (file, code) in sources() {
        let module = file.split(['/', '.']).next().unwrap();
        for part in code.split("crate::").skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            let imported = &part[..end];
            imports += 1;
            assert!(
                layer(imported) <= layer(module),
                "src/{file} imports crate::{imported}, which is above it"
            );
        }
    }
    assert!(imports > 50, "no imports were found");
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    let mut found: Vec<String> = sources()
        .into_iter()
        .filter(|(_, code)| {
            code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe")
        })
        .map(|(file, _)| file)
        .collect();
    found.sort();
    assert_eq!(found, UNSAFE);
}

#[test]
fn one_file_names_corosensei() {
    let files = sources().into_iter().filter(|(_, code)| code.contains("corosensei"));
    assert_eq!(files.map(|(file, _)| file).collect::<Vec<_>>(), ["context/fiber.rs"]);
}
