//! The tables that people read.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

use super::answer::{Answer, Counts, CrateRow, FunctionRow};

/// Names of functions with all their generic arguments can fill a screen.
const LONGEST_NAME: usize = 72;

/// Examples for each reason.
const EXAMPLES: usize = 2;

/// The answer, with the `shown` worst functions.
pub(crate) fn render(answer: &Answer, shown: usize) -> String {
    let over = answer.functions.iter().filter(|row| row.counts.over_bound).count();
    let mut text = format!(
        "{}\nbound {} instructions (about {} ns): {} of {} functions have a longer path without a probe; {} probes in \
         the machine code\n",
        answer.artefacts.join(", "),
        answer.bound_instructions,
        answer.bound_ns,
        over,
        answer.functions.len(),
        answer.probes
    );
    if answer.functions.is_empty() {
        text.push_str("\nNo function of this build has probes.\n");
    } else {
        let _ = write!(text, "\nCrates:\n{}\n", crates(&answer.crates));
        let rest = answer.functions.len().saturating_sub(shown);
        let more = if rest > 0 { format!(" ({rest} more: --all)") } else { String::new() };
        let _ = write!(text, "\nFunctions, worst first{more}:\n{}\n", functions(&answer.functions, shown));
    }
    if !answer.skipped.is_empty() {
        let _ = write!(text, "\nFunctions without probes: {}\n{}\n", answer.skipped.len(), reasons(answer));
    }
    text
}

const FIGURES: [&str; 12] = [
    "longest path",
    "ns",
    "in machine code",
    "probes",
    "loops: straight",
    "strip-mined",
    "unrolled",
    "probed",
    "covered",
    "unprobed calls",
    "unbounded",
    "guarded regions",
];

fn crates(rows: &[CrateRow]) -> Table {
    let mut table = table(&[&["crate", "functions"], &FIGURES[..]].concat());
    for row in rows {
        let mut cells = vec![Cell::new(&row.name), right(row.functions)];
        cells.extend(figures(&row.counts));
        table.add_row(cells);
    }
    table
}

fn functions(rows: &[FunctionRow], shown: usize) -> Table {
    let mut table = table(&[&["function"], &FIGURES[..], &["where"]].concat());
    for row in rows.iter().take(shown) {
        let place = match (&row.file, row.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.clone(),
            (None, _) => String::new(),
        };
        let mut cells = vec![Cell::new(shorten(&row.name))];
        cells.extend(figures(&row.counts));
        cells.push(Cell::new(place));
        table.add_row(cells);
    }
    table
}

fn reasons(answer: &Answer) -> Table {
    let mut table = table(&["functions", "reason", "for example"]);
    for (reason, functions) in answer.reasons() {
        let examples: Vec<_> = functions.iter().take(EXAMPLES).map(|name| shorten(name)).collect();
        let count = right(functions.len());
        table.add_row(vec![count, Cell::new(reason), Cell::new(examples.join(", "))]);
    }
    table
}

fn figures(counts: &Counts) -> Vec<Cell> {
    let Counts { loops, .. } = counts;
    let mark = if counts.over_bound { "! " } else { "" };
    let path = format!("{mark}{}", counts.longest_path_instructions);
    let machine = counts.machine_path_instructions.map_or_else(|| "-".to_owned(), |path| path.to_string());
    let mut cells = vec![right(path), right(counts.longest_path_ns), right(machine)];
    cells.extend(
        [
            counts.probes,
            loops.straight,
            loops.strip_mined,
            loops.unrolled,
            loops.probed,
            loops.covered,
            counts.unprobed_calls,
            counts.unbounded_paths,
            counts.guarded_regions,
        ]
        .map(right),
    );
    cells
}

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(columns.iter().copied());
    // Wraps to the width of a terminal; without one lines are as long as they are.
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table
}

fn right(figure: impl ToString) -> Cell {
    Cell::new(figure).set_alignment(CellAlignment::Right)
}

/// A long name without its middle: the crate and the function's own name stay.
fn shorten(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let (head, tail) = (LONGEST_NAME / 3, LONGEST_NAME - LONGEST_NAME / 3 - 3);
    let start: String = letters[..head].iter().collect();
    let end: String = letters[letters.len() - tail..].iter().collect();
    format!("{start}...{end}")
}

#[cfg(test)]
pub(super) mod tests {
    use concord_job::{FunctionReport, Place, Report, SiteKind, SiteReport, Skipped};

    use super::*;
    use crate::artefacts::Artefacts;

    fn function(
        name: &str,
        crate_name: Option<&str>,
        longest_path: u32,
        kinds: &[SiteKind],
    ) -> FunctionReport {
        let site = |kind: &SiteKind| SiteReport { kind: *kind, place: None, reason: "so".to_owned() };
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
        render(&Answer::of(&artefacts()), shown)
    }

    #[test]
    fn paths_beyond_the_bound_are_marked_and_counted() {
        let text = rendered(20);
        assert!(text.contains("bound 1600 instructions (about 400 ns): 1 of 3 functions"), "{text}");
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
    fn long_names_lose_their_middle() {
        let name = format!("app::{}::end", "x".repeat(200));
        let short = shorten(&name);
        assert_eq!(short.chars().count(), LONGEST_NAME);
        assert!(short.starts_with("app::") && short.ends_with("::end"), "{short}");
        assert_eq!(shorten("app::main"), "app::main");
    }
}
