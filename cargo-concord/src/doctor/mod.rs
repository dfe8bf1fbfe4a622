//! `cargo concord doctor`: what a build and a run need on this machine, each with the mend.

mod checks;
mod note;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::cli::DoctorOptions;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// Nothing to do.
    Ok,
    /// Works, but not as well as it could.
    Warn,
    /// A build would fail.
    Fail,
}

/// One line of the answer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// What was looked at.
    pub(crate) name: &'static str,
    /// How it came out.
    pub(crate) verdict: Verdict,
    /// What was found.
    pub(crate) found: String,
    /// What to do about it.
    pub(crate) mend: Option<String>,
}

/// Checks the machine, or looks into a binary.
///
/// # Errors
/// When the binary is not one.
pub(crate) fn run(options: &DoctorOptions) -> Result<ExitCode> {
    match &options.binary {
        Some(binary) => binary_answer(binary, options.json),
        None => machine_answer(options.json),
    }
}

fn machine_answer(json: bool) -> Result<ExitCode> {
    let checks = checks::all();
    if json {
        println!("{}", serde_json::to_string_pretty(&serde_json::json!({ "checks": checks }))?);
    } else {
        checks.iter().for_each(print);
    }
    let failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(check: &Check) {
    let verdict = match check.verdict {
        Verdict::Ok => "ok  ",
        Verdict::Warn => "warn",
        Verdict::Fail => "FAIL",
    };
    println!("{verdict}  {:<12}  {}", check.name, check.found);
    if let Some(mend) = &check.mend {
        println!("{:20}-> {mend}", "");
    }
}

fn binary_answer(path: &Path, json: bool) -> Result<ExitCode> {
    let Some(info) = note::read(path)? else {
        if json {
            println!("{}", serde_json::json!({ "binary": path, "concord": null }));
        } else {
            println!("{}: built without Concord; its requests run to their end", path.display());
        }
        return Ok(ExitCode::SUCCESS);
    };
    let concord_abi::BuildInfo { abi_version, functions, probes, loops, options_hash, .. } = info;
    let has_probes = info.flags & concord_abi::FLAG_PROBES != 0;
    let has_second_build = info.flags & concord_abi::FLAG_SECOND_BUILD != 0;
    let fits = abi_version == concord_abi::ABI_VERSION;
    if json {
        let concord = serde_json::json!({
            "abi_version": abi_version, "functions": functions, "probes": probes, "loops": loops,
            "has_probes": has_probes, "has_second_build": has_second_build,
            "options_hash": format!("{options_hash:016x}"),
        });
        println!("{}", serde_json::json!({ "binary": path, "concord": concord }));
    } else {
        println!("{}: {functions} functions instrumented, {probes} probes, {loops} loops", path.display());
        println!("ABI version {abi_version}, options {options_hash:016x}");
        if has_second_build {
            println!("with a second build for the dispatcher");
        }
        if !has_probes {
            println!("built with --no-probes: its requests run to their end");
        }
        if !fits {
            println!(
                "this cargo-concord has ABI version {}: build the binary again",
                concord_abi::ABI_VERSION
            );
        }
    }
    Ok(if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
