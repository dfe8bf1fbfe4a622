//! `cargo xtask figures`: the papers' figures from the simulator, published values beside ours.
//!
//! `bench/experiments/*.toml` has one file per figure: its parameters with the paper's words beside them.
//! Reading order: `experiment`, `run`, `phases`, `published`, `plot`.

mod experiment;
mod phases;
mod picture;
mod plot;
mod published;
mod run;
mod timeline;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use comfy_table::{Table, presets};

use crate::process;
use experiment::Experiment;
use published::Row;
use run::Effort;

/// Options of the figures.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Few seeds and short runs: a first look, in a few minutes
    #[arg(long)]
    quick: bool,
    /// Only these figures; a name's beginning is enough
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
}

/// Simulates, prints the table, leaves pictures and JSON in `target/figures`.
///
/// # Errors
/// When an experiment is malformed, or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        // Unoptimised, the policies take ten times as long.
        let own: Vec<String> = std::env::args().skip(1).collect();
        let own = own.iter().map(String::as_str);
        let words = ["run", "--release", "--package", "xtask", "--"].into_iter().chain(own);
        return process::run(process::cargo(&words.collect::<Vec<_>>()));
    }
    let experiments = chosen(experiment::read_all()?, &options.only)?;
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    let folder = folder()?;
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for (index, experiment) in experiments.iter().enumerate() {
        let progress = |series: &str| {
            eprintln!("{} of {}: {}, {series}", index + 1, experiments.len(), experiment.figure);
        };
        let figure = run::run(experiment, effort, &progress)?;
        let file = |extension: &str| folder.join(format!("{}.{extension}", figure.figure));
        write(&file("json"), &serde_json::to_vec_pretty(&figure)?)?;
        plot::draw(experiment, &figure, &file("svg"))?;
        picture::png(&file("svg"), &file("png"))?;
        rows.extend(published::rows(experiment, &figure));
        missing.extend(figure.missing.into_iter().map(|reason| format!("{}: {reason}", figure.figure)));
    }
    let all = merged(&folder, rows.clone())?;
    write(&folder.join("figures.json"), &serde_json::to_vec_pretty(&all)?)?;
    println!("{}", table(&rows));
    missing.iter().for_each(|missing| println!("not simulated: {missing}"));
    println!("pictures and data: {}", folder.display());
    Ok(())
}

/// With `--only`, rows of the other figures stay as the last run left them.
fn merged(folder: &std::path::Path, rows: Vec<Row>) -> Result<Vec<serde_json::Value>> {
    let old = std::fs::read(folder.join("figures.json")).ok();
    let old: Vec<serde_json::Value> =
        old.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
    let is_new = |row: &serde_json::Value| rows.iter().any(|new| row["figure"] == new.figure.as_str());
    let mut all: Vec<serde_json::Value> = old.into_iter().filter(|row| !is_new(row)).collect();
    for row in &rows {
        all.push(serde_json::to_value(row)?);
    }
    Ok(all)
}

fn chosen(experiments: Vec<Experiment>, only: &[String]) -> Result<Vec<Experiment>> {
    ensure!(!experiments.is_empty(), "bench/experiments has no experiment");
    let names: Vec<String> = experiments.iter().map(|experiment| experiment.figure.clone()).collect();
    let is_known = |word: &&String| names.iter().any(|name| name.starts_with(word.as_str()));
    if let Some(unknown) = only.iter().find(|word| !is_known(word)) {
        bail!("--only: no figure begins with `{unknown}`; there are {}", names.join(", "));
    }
    // A whole name means that figure alone: persephone-1 is not persephone-10.
    let means = |word: &String, figure: &String| match names.contains(word) {
        true => word == figure,
        false => figure.starts_with(word.as_str()),
    };
    let is_chosen =
        |experiment: &Experiment| only.is_empty() || only.iter().any(|word| means(word, &experiment.figure));
    Ok(experiments.into_iter().filter(is_chosen).collect())
}

fn folder() -> Result<PathBuf> {
    let folder = process::root().join("target/figures");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn write(path: &std::path::Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header([
        "figure",
        "series",
        "quantity",
        "published",
        "ours",
        "difference",
        "seeds +-",
    ]);
    for row in rows {
        let percent = |value: Option<f64>| value.map_or("-".into(), |percent| format!("{percent:+.1} %"));
        table.add_row([
            row.figure.clone(),
            row.series.clone(),
            row.quantity.clone(),
            number(row.published),
            row.ours.map_or("-".into(), number),
            percent(row.diff_pct),
            row.spread_pct.map_or(String::new(), |spread| format!("{spread:.1} %")),
        ]);
    }
    table
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{:.3} M", value / 1e6),
        size if size >= 1e4 => format!("{:.2} k", value / 1e3),
        size if size >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests;
