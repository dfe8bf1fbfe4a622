//! The system packages that builds and tests need beside a Rust toolchain.

use anyhow::{Result, bail};

use crate::process::{self, command, is_installed};

/// A package, the program that shows it is there, and what it is for.
struct Package {
    name: &'static str,
    program: &'static str,
    purpose: &'static str,
}

const PACKAGES: [Package; 5] = [
    Package { name: "clang", program: "clang++", purpose: "compiles C and C++ dependencies to LLVM bitcode" },
    Package { name: "g++", program: "g++", purpose: "brings the C++ standard library that clang uses" },
    Package { name: "cmake", program: "cmake", purpose: "builds LevelDB" },
    Package { name: "make", program: "make", purpose: "builds LevelDB" },
    Package { name: "valgrind", program: "valgrind", purpose: "counts instructions" },
];

/// Installs what is missing; without root, says which command does.
///
/// # Errors
/// When something is missing and cannot be installed.
pub(crate) fn run() -> Result<()> {
    let missing: Vec<_> = PACKAGES.iter().filter(|package| !is_installed(package.program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for package in &missing {
        eprintln!("missing: {} ({})", package.name, package.purpose);
    }
    let names: Vec<_> = missing.iter().map(|package| package.name).collect();
    let install = format!("apt-get install --yes {}", names.join(" "));
    if !is_installed("apt-get") {
        bail!("install with this system's package manager: {}", names.join(" "));
    }
    if !is_root() {
        bail!("run this, then try again: sudo {install}");
    }
    process::run(command("apt-get", &["update", "--quiet"]))?;
    let arguments = ["install", "--yes", "--quiet", "--no-install-recommends"];
    let mut apt = command("apt-get", &arguments);
    apt.args(&names).env("DEBIAN_FRONTEND", "noninteractive");
    process::run(apt)
}

fn is_root() -> bool {
    process::output(command("id", &["-u"])).is_ok_and(|user| user.trim() == "0")
}
