//! Golden tests: each file of `tests/ir` is one construct before a stage, and what the stage makes of it.
//!
//! A file begins with directives (`;@ key: value`, see [`Case`]), then comes the module, then the expected
//! module, each line behind `;=`. `CONCORD_BLESS=1 cargo test -p concord-pass --test ir` writes the
//! expectations anew.

mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use concord_pass::import::Offer;
use concord_pass::{constructors, ffi, guard, probe, reshape, select, slow_path, standard};
use inkwell::context::Context;
use inkwell::module::Module;
use libtest_mimic::{Arguments, Failed, Trial};
use support::{Case, expected, relevant, source, with_expected};

const BLESS: &str = "CONCORD_BLESS";

fn main() -> ExitCode {
    let files = files();
    assert!(!files.is_empty(), "tests/ir holds no .ll files");
    println!("{} files in tests/ir", files.len());
    let trials = files.into_iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let entries = std::fs::read_dir(&folder).expect("tests/ir can be read");
    let paths = entries.map(|entry| entry.expect("tests/ir can be listed").path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "ll")).collect();
    files.sort_unstable();
    files
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let actual = run(&text)?;
    if expected(&text) == actual {
        return Ok(());
    }
    if std::env::var_os(BLESS).is_some() {
        return Ok(std::fs::write(path, with_expected(&text, &actual))?);
    }
    Err(format!(
        "{}: the stage's output is not the expected one ({BLESS}=1 rewrites it)\n{}",
        path.display(),
        support::difference(&expected(&text), &actual)
    )
    .into())
}

/// The module after the stage that the file names, without the lines that say nothing about it.
fn run(text: &str) -> Result<String, Failed> {
    let case = Case::read(text)?;
    let context = Context::create();
    let module = support::parse(&context, source(text))?;
    match case.stage.as_str() {
        "select" => drop(select::mark(&module, &case.instrument())),
        "standard" => drop(standard::mark(&module, &case.instrument(), &case.defined)),
        "slow path" => drop(slow_path::clear(&module)),
        "guard" => drop(guard::mark_guards(&module, &case.defined)),
        "lend" => return lent(module, &case),
        "waits" => drop(guard::waits::redirect(&module)),
        "reshape" => {
            let optimise = case.optimise();
            let machine = concord_pass::target::machine(&module, &optimise)?;
            reshape::run(&module, &machine, &reshape::Settings { optimise: &optimise, artefact: "golden" })?;
        }
        "constructors" => constructors::lower(&module),
        "probe" => {
            let optimise = case.optimise();
            let machine = concord_pass::target::machine(&module, &optimise)?;
            let instrument = case.instrument();
            let settings = probe::Settings {
                instrument: &instrument,
                optimise: &optimise,
                output: case.output,
                has_runtime: case.has_runtime,
                artefact: "golden",
            };
            probe::insert(&module, &machine, &settings)?;
        }
        other => return Err(format!("unknown stage '{other}'").into()),
    }
    module.verify().map_err(|message| format!("the stage made an invalid module: {message}"))?;
    Ok(relevant(&module.print_to_string().to_string()))
}

/// What the module lends to others.
fn lent(module: Module<'_>, case: &Case) -> Result<String, Failed> {
    let optimise = case.optimise();
    let machine = concord_pass::target::machine(&module, &optimise)?;
    let offer = Offer::of(module, &machine, &optimise, "golden")?.ok_or("it lends nothing")?;
    let context = Context::create();
    let copies = ffi::parse(&offer.bitcode, "lent", &context)?;
    copies.verify().map_err(|message| format!("what is lent is no valid module: {message}"))?;
    Ok(relevant(&copies.print_to_string().to_string()))
}
