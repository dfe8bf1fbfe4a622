//! The tables that people read.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

use super::figures::{Audit, Counts, CrateRow, FunctionRow, SecondBuild};

/// Names of functions with all their generic arguments can fill a screen.
const LONGEST_NAME: usize = 60;
const LONGEST_EXAMPLE: usize = 40;

/// The end of a file's name tells most.
const LONGEST_FILE: usize = 36;

/// Examples for each reason.
const EXAMPLES: usize = 2;

/// The answer, with the `shown` worst functions.
pub(crate) fn render(audit: &Audit, shown: usize) -> String {
    let over = audit.functions.iter().filter(|row| row.counts.over_bound).count();
    let mut text = format!(
        "{}\nbound {} instructions (about {} ns): {} of {} functions have a longer path without a probe; {} probes in \
         the machine code\n",
        audit.artefacts.join(", "),
        audit.bound_instructions,
        audit.bound_ns,
        over,
        audit.functions.len(),
        audit.probes
    );
    let SecondBuild { clones, probes, bytes } = audit.second_build;
    if clones > 0 {
        let _ = writeln!(
            text,
            "second build, for the dispatcher: {clones} clones, {probes} probes, {bytes} bytes"
        );
    }
    if audit.functions.is_empty() {
        text.push_str("\nNo function of this build has probes.\n");
    } else {
        let _ = write!(text, "\nCrates:\n{}\n", crates(&audit.crates));
        let rest = audit.functions.len().saturating_sub(shown);
        let more = if rest > 0 { format!(" ({rest} more: --all)") } else { String::new() };
        let _ = write!(text, "\nFunctions, worst first{more}:\n{}\n", functions(&audit.functions, shown));
    }
    if !audit.skipped.is_empty() {
        let _ = write!(text, "\nFunctions without probes: {}\n{}\n", audit.skipped.len(), reasons(audit));
    }
    text
}

/// A column of figures, and whether it is shown even where there is nothing in it.
struct Figure {
    head: &'static str,
    of: fn(&Counts) -> String,
    always: bool,
}

/// Heads are broken, so that the rows fit a screen.
const FIGURES: [Figure; 12] = [
    Figure { head: "longest\npath", of: |counts| marked(counts), always: true },
    Figure { head: "ns", of: |counts| counts.longest_path_ns.to_string(), always: true },
    Figure {
        head: "machine\ncode",
        of: |counts| or_nothing(counts.machine_path_instructions),
        always: false,
    },
    Figure { head: "probes", of: |counts| counts.probes.to_string(), always: true },
    Figure { head: "straight\nloops", of: |counts| counts.loops.straight.to_string(), always: false },
    Figure { head: "strip-\nmined", of: |counts| counts.loops.strip_mined.to_string(), always: false },
    Figure { head: "unrolled\nloops", of: |counts| counts.loops.unrolled.to_string(), always: false },
    Figure { head: "probed\nloops", of: |counts| counts.loops.probed.to_string(), always: false },
    Figure { head: "covered\nloops", of: |counts| counts.loops.covered.to_string(), always: false },
    Figure { head: "unprobed\ncalls", of: |counts| counts.unprobed_calls.to_string(), always: false },
    Figure { head: "un-\nbounded", of: |counts| counts.unbounded_paths.to_string(), always: false },
    Figure { head: "guarded\nregions", of: |counts| counts.guarded_regions.to_string(), always: false },
];

fn marked(counts: &Counts) -> String {
    let mark = if counts.over_bound { "! " } else { "" };
    format!("{mark}{}", counts.longest_path_instructions)
}

fn or_nothing(figure: Option<u32>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string())
}

/// The columns that say anything about `rows`.
fn figures(rows: &[&Counts]) -> Vec<&'static Figure> {
    let says = |figure: &&Figure| {
        figure.always || rows.iter().any(|counts| !matches!((figure.of)(counts).as_str(), "0" | "-"))
    };
    FIGURES.iter().filter(says).collect()
}

fn crates(rows: &[CrateRow]) -> Table {
    let shown = figures(&rows.iter().map(|row| &row.counts).collect::<Vec<_>>());
    let mut table = table(["crate", "functions"].into_iter().chain(shown.iter().map(|figure| figure.head)));
    for row in rows {
        let mut cells = vec![Cell::new(&row.name), right(row.functions)];
        cells.extend(shown.iter().map(|figure| right((figure.of)(&row.counts))));
        table.add_row(cells);
    }
    table
}

fn functions(rows: &[FunctionRow], shown: usize) -> Table {
    let rows = &rows[..shown.min(rows.len())];
    let shown = figures(&rows.iter().map(|row| &row.counts).collect::<Vec<_>>());
    let has_places = rows.iter().any(|row| row.file.is_some());
    let heads = shown.iter().map(|figure| figure.head);
    let mut table = table(std::iter::once("function").chain(heads).chain(has_places.then_some("where")));
    for row in rows {
        let mut cells = vec![Cell::new(shorten(&row.name, LONGEST_NAME))];
        cells.extend(shown.iter().map(|figure| right((figure.of)(&row.counts))));
        cells.extend(has_places.then(|| Cell::new(place(row))));
        table.add_row(cells);
    }
    table
}

fn place(row: &FunctionRow) -> String {
    let Some(file) = &row.file else { return String::new() };
    let letters: Vec<char> = file.chars().collect();
    let end: String = letters[letters.len().saturating_sub(LONGEST_FILE)..].iter().collect();
    // The first folder is cut off with the rest before it.
    let file = if letters.len() > LONGEST_FILE {
        format!("...{}", end.find('/').map_or(&*end, |at| &end[at..]))
    } else {
        end
    };
    row.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
}

fn reasons(audit: &Audit) -> Table {
    let mut table = table(["functions", "reason", "for example"]);
    for (reason, functions) in audit.reasons() {
        let examples: Vec<_> =
            functions.iter().take(EXAMPLES).map(|name| shorten(name, LONGEST_EXAMPLE)).collect();
        let count = right(functions.len());
        table.add_row(vec![count, Cell::new(reason), Cell::new(examples.join(", "))]);
    }
    table
}

fn table(columns: impl IntoIterator<Item = &'static str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(columns);
    // Wraps to the width of a terminal; without one lines are as long as they are.
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table
}

fn right(figure: impl ToString) -> Cell {
    Cell::new(figure).set_alignment(CellAlignment::Right)
}

/// A long name without its middle: the crate and the function's own name stay.
fn shorten(name: &str, longest: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= longest {
        return name.to_owned();
    }
    let head = longest / 3;
    let tail = longest - head - "...".len();
    let start: String = letters[..head].iter().collect();
    let end: String = letters[letters.len() - tail..].iter().collect();
    format!("{start}...{end}")
}

#[cfg(test)]
pub(super) mod tests {
    use concord_job::{FunctionReport, Place, Report, SiteKind, SiteReport, Skipped};

    use super::super::figures::nanoseconds;
    use super::*;
    use crate::artefacts::Artefacts;

    fn function(
        name: &str,
        crate_name: Option<&str>,
        longest_path: u32,
        kinds: &[SiteKind],
    ) -> FunctionReport {
        let site =
            |kind: &SiteKind| SiteReport { kind: *kind, place: None, call: None, reason: "so".to_owned() };
        FunctionReport {
            name: name.to_owned(),
            symbol: format!("_{name}"),
            crate_name: crate_name.map(str::to_owned),
            place: crate_name.map(|_| Place { file: "src/main.rs".to_owned(), line: 7 }),
            longest_path,
            sites: kinds.iter().map(site).collect(),
            ..FunctionReport::default()
        }
    }

    fn skipped(function: &str, reason: &str) -> Skipped {
        Skipped { function: function.to_owned(), reason: reason.to_owned() }
    }

    /// Two functions of Rust, one of C, three without probes.
    pub(in crate::audit) fn artefacts() -> Artefacts {
        let fast = FunctionReport {
            machine_path: Some(250),
            unbounded: vec!["a call through a pointer".to_owned()],
            ..function("app::fast", Some("app"), 300, &[SiteKind::StraightLoop])
        };
        let report = Report {
            functions: vec![
                fast,
                function(
                    "app::slow",
                    Some("app"),
                    2000,
                    &[SiteKind::Probe, SiteKind::StripMinedLoop, SiteKind::UnprobedCall],
                ),
                function("compress", None, 40, &[SiteKind::ProbedLoop, SiteKind::GuardedRegion]),
            ],
            skipped: vec![
                skipped("app::naked", "naked"),
                skipped("concord::run", "the runtime"),
                skipped("concord::stop", "the runtime"),
            ],
            bound: 1600,
            probes: 3,
            ..Report::default()
        };
        Artefacts { paths: vec!["/t/app".into()], report, workspace: None }
    }

    fn rendered(shown: usize) -> String {
        render(&Audit::of(&artefacts()), shown)
    }

    #[test]
    fn paths_beyond_the_bound_are_marked_and_counted() {
        let text = rendered(20);
        let estimate = nanoseconds(1600);
        let heading = format!("bound 1600 instructions (about {estimate} ns): 1 of 3 functions");
        assert!(text.contains(&heading), "{text}");
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap();
        assert!(
            line("app::slow").contains("! 2000") && line("app::slow").contains("src/main.rs:7"),
            "{text}"
        );
        assert!(!line("app::fast").contains('!'), "{text}");
        assert!(text.find("app::slow") < text.find("app::fast"), "{text}");
    }

    #[test]
    fn only_the_worst_are_shown_and_the_rest_is_said() {
        let text = rendered(1);
        assert!(text.contains("(2 more: --all)") && !text.contains("app::fast"), "{text}");
        assert!(!rendered(3).contains("more:"));
    }

    #[test]
    fn functions_without_probes_stand_by_reason() {
        let text = rendered(1);
        assert!(text.contains("Functions without probes: 3"), "{text}");
        let line = text.lines().find(|line| line.contains("the runtime")).unwrap();
        assert!(line.contains('2') && line.contains("concord::run, concord::stop"), "{line}");
    }

    #[test]
    fn columns_without_figures_are_left_out() {
        let text = rendered(20);
        assert!(text.contains("strip-") && text.contains("machine") && text.contains("where"), "{text}");
        assert!(!text.contains("unrolled") && !text.contains("covered"), "{text}");
    }

    #[test]
    fn long_files_lose_their_beginning() {
        let mut audit = Audit::of(&artefacts());
        audit.functions[0].file = Some(format!("/home/{}/kernels/src/lib.rs", "x".repeat(40)));
        assert_eq!(place(&audit.functions[0]), ".../kernels/src/lib.rs:7");
    }

    #[test]
    fn long_names_lose_their_middle() {
        let name = format!("app::{}::end", "x".repeat(200));
        let short = shorten(&name, LONGEST_NAME);
        assert_eq!(short.chars().count(), LONGEST_NAME);
        assert!(short.starts_with("app::") && short.ends_with("::end"), "{short}");
        assert_eq!(shorten("app::main", LONGEST_NAME), "app::main");
    }
}
