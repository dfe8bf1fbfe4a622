//! The single checks.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Check, Verdict};
use crate::process;
use crate::toolchain::{Clang, Pass, Toolchain, check_target};

/// All checks, in the order in which a build would stumble.
pub(crate) fn all() -> Vec<Check> {
    let toolchain =
        cargo_config2::Config::load().map_err(Into::into).and_then(|config| Toolchain::find(&config));
    let mut checks = match toolchain {
        Ok(toolchain) => vec![rustc(&toolchain), llvm(&toolchain), pass(&toolchain), clang(&toolchain)],
        Err(error) => vec![fail("rustc", &error, "install a toolchain (https://rustup.rs)")],
    };
    checks.extend([linker(), cores(), clock()]);
    checks
}

fn ok(name: &'static str, found: String) -> Check {
    Check { name, verdict: Verdict::Ok, found, mend: None }
}

fn warn(name: &'static str, found: String, mend: &str) -> Check {
    Check { name, verdict: Verdict::Warn, found, mend: Some(mend.to_owned()) }
}

fn fail(name: &'static str, error: &anyhow::Error, mend: &str) -> Check {
    let mend = (!mend.is_empty()).then(|| mend.to_owned());
    Check { name, verdict: Verdict::Fail, found: format!("{error:#}"), mend }
}

fn rustc(toolchain: &Toolchain) -> Check {
    match check_target(&toolchain.host) {
        Ok(()) => ok("rustc", format!("{} for {}", toolchain.release, toolchain.host)),
        Err(error) => fail("rustc", &error, ""),
    }
}

fn llvm(toolchain: &Toolchain) -> Check {
    match toolchain.llvm_library() {
        Ok(library) => ok("LLVM", format!("{} in {}", toolchain.llvm, library.display())),
        Err(error) => fail("LLVM", &error, ""),
    }
}

fn pass(toolchain: &Toolchain) -> Check {
    let started = Pass::find(toolchain).and_then(|pass| {
        // `--help` shows that the dynamic linker finds LLVM.
        let libraries = process::library_path(&pass.libraries)?;
        process::stdout(Command::new(&pass.program).arg("--help").env("LD_LIBRARY_PATH", libraries))?;
        Ok(pass)
    });
    match started {
        Ok(pass) => ok("concord-pass", pass.program.display().to_string()),
        Err(error) => fail("concord-pass", &error, ""),
    }
}

fn clang(toolchain: &Toolchain) -> Check {
    match Clang::find(toolchain.llvm_major()) {
        Ok(clang) => ok("clang", format!("{} in {}", clang.major, clang.c.display())),
        Err(problem) => warn("clang", "none that can be used for C and C++ code".to_owned(), &problem),
    }
}

fn linker() -> Check {
    match process::stdout(Command::new("cc").arg("--version")) {
        Ok(version) => ok("linker", version.lines().next().unwrap_or("cc").to_owned()),
        Err(error) => {
            fail("linker", &error, "install a C compiler driver (Debian, Ubuntu: apt-get install gcc)")
        }
    }
}

/// A dispatcher and one worker that poll need a core each.
fn cores() -> Check {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    let allowed = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| allowed_cores(&status));
    let found = match allowed {
        Some(list) => format!("{usable} usable, CPUs {list}"),
        None => format!("{usable} usable"),
    };
    if usable >= 2 {
        return ok("cores", found);
    }
    warn(
        "cores",
        found,
        "dispatcher and worker share a core and take turns, so quanta are long; allow at least two (taskset, cpuset, \
         container limits)",
    )
}

fn allowed_cores(status: &str) -> Option<String> {
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map(|list| list.trim().to_owned())
}

fn clock() -> Check {
    match std::fs::read_to_string("/proc/cpuinfo").map_err(anyhow::Error::from).and_then(|text| tsc(&text)) {
        Ok(found) => ok("clock", found),
        Err(error) => warn(
            "clock",
            format!("{error:#}"),
            "quanta are measured with the time-stamp counter; on this machine they may be off",
        ),
    }
}

fn tsc(cpuinfo: &str) -> Result<String> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    anyhow::ensure!(has("constant_tsc") && has("nonstop_tsc"), "the time-stamp counter is not invariant");
    let source = Path::new("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let source = std::fs::read_to_string(source).unwrap_or_default();
    Ok(format!("invariant time-stamp counter; the system's clock is {}", source.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_affinity_list_is_read() {
        assert_eq!(allowed_cores("Name:\tx\nCpus_allowed_list:\t0-1,4\n").as_deref(), Some("0-1,4"));
        assert_eq!(allowed_cores("Name:\tx\n"), None);
    }

    #[test]
    fn both_flags_make_the_counter_invariant() {
        tsc("flags\t\t: fpu constant_tsc nonstop_tsc\n").unwrap();
        assert!(tsc("flags\t\t: fpu constant_tsc\n").is_err());
        assert!(tsc("").is_err());
    }

    #[test]
    fn every_failure_says_what_to_do() {
        for check in all() {
            assert!(!check.found.is_empty(), "{check:?}");
            assert!(check.verdict != Verdict::Warn || check.mend.is_some(), "{check:?}");
        }
    }
}
