//! A tree of files to search and to serve: the same on every machine.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

const WORDS: [&str; 24] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "fn",
    "let",
    "struct",
    "impl",
    "return",
    "TODO",
    "needle",
    "haystack",
    "Straße",
    "日本語",
    "naïve",
    "0x1f",
    "42",
    "foo_bar",
    "FooBar",
    "(a+b)*c",
    "\"quoted\"",
    "\ttab",
    "user@example.org",
    "127.0.0.1",
];
const FOLDERS: [&str; 8] =
    ["src", "src/core", "src/core/deep/er", "docs", "docs/Ünïcode", "tests", "build/out", ".hidden"];
const ENDINGS: [&str; 6] = ["rs", "md", "txt", "json", "c", "log"];
/// Files in each folder.
const FILES: usize = 12;

/// Fills `folder`, which is empty.
///
/// # Errors
/// When a file cannot be made.
pub(super) fn make(folder: &Path) -> Result<()> {
    fill(folder).with_context(|| format!("cannot make the files of {}", folder.display()))
}

fn fill(root: &Path) -> std::io::Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for folder in FOLDERS {
        std::fs::create_dir_all(root.join(folder))?;
        for number in 0..FILES {
            let name = format!("{folder}/file{number:02}.{}", ENDINGS[number % ENDINGS.len()]);
            std::fs::write(root.join(name), text(&mut random, number * number * 8, "\n"))?;
        }
    }
    oddities(root, &mut random)?;
    // Times of which programs tell: old, and the same for all.
    set_times(root, SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
}

fn oddities(root: &Path, random: &mut ChaCha8Rng) -> std::io::Result<()> {
    let write = |name: &str, bytes: &[u8]| std::fs::write(root.join(name), bytes);
    write(".gitignore", b"*.log\n/build/\n!build/out/file05.log\n")?;
    std::fs::create_dir(root.join(".git"))?;
    write(".ignore", b"docs/file02.txt\n")?;
    write("docs/.gitignore", b"*.json\n")?;
    write("empty", b"")?;
    write("no newline", b"needle at the end")?;
    write("crlf.txt", &text(random, 40, "\r\n"))?;
    write("binary.bin", &[&b"needle\n"[..], &[0, 1, 2, 255], &text(random, 20, "\n")].concat())?;
    write("latin1.txt", b"stra\xdfe needle na\xefve\n")?;
    let utf16: Vec<u8> = "needle \u{df}\nzwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("utf16.txt", &[&[0xff, 0xfe], &utf16[..]].concat())?;
    write("long line.txt", &"needle 0123456789 ".repeat(20_000).into_bytes())?;
    write("large.txt", &text(random, 60_000, "\n"))?;
    write("index.html", b"<!doctype html><title>index</title>\n")?;
    write("run.sh", b"#!/bin/sh\necho needle\n")?;
    std::fs::set_permissions(root.join("run.sh"), std::fs::Permissions::from_mode(0o755))?;
    symlink("src/core", root.join("link to core"))?;
    symlink("nowhere", root.join("broken link"))?;
    symlink("..", root.join("src/loop"))
}

fn text(random: &mut ChaCha8Rng, lines: usize, end: &str) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..lines {
        for _ in 0..random.next_u64() % 12 {
            text.push_str(WORDS[(random.next_u64() % WORDS.len() as u64) as usize]);
            text.push(' ');
        }
        text.push_str(end);
    }
    text.into_bytes()
}

fn set_times(folder: &Path, time: SystemTime) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            set_times(&entry.path(), time)?;
        } else if entry.file_type()?.is_file() {
            std::fs::File::options().append(true).open(entry.path())?.set_modified(time)?;
        }
    }
    std::fs::File::open(folder)?.set_modified(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_the_same_each_time() {
        let folder = std::env::temp_dir().join(format!("concord-tree-{}", std::process::id()));
        let read = |name: &str| {
            let root = folder.join(name);
            std::fs::create_dir_all(&root).unwrap();
            make(&root).unwrap();
            std::fs::read(root.join("large.txt")).unwrap()
        };
        let (one, other) = (read("one"), read("other"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(one == other && one.len() > 1_000_000);
    }
}
