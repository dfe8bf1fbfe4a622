//! A function's source with what was decided in the margin.
//!
//! ```text
//! app::sum  (src/main.rs:3)
//! longest path without a probe: 120 instructions (about 30 ns), bound 1600
//! probes: 1, strip-mined loops: 1
//!
//! src/main.rs
//!      3 | pub fn sum(values: &[u64]) -> u64 {
//!      4 |     let mut sum = 0;
//! *    5 |     for value in values {
//!        | = strip-mined loop: counted up to a limit that does not change
//!      6 |         sum += value;
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;
use concord_job::{FunctionReport, Place, SiteReport};

use super::source::Sources;
use super::window::{Lines, Window, list};
use crate::audit::figures::{Counts, nanoseconds};

const BOLD: Style = Style::new().bold();

/// The function as people read it; colours are taken out by the printer where they are not wanted.
pub(super) fn render(function: &FunctionReport, bound: u32, sources: &Sources, profile: &str) -> String {
    let mut text = heading(function, bound, sources);
    let (files, unplaced) = by_file(function);
    for (file, sites) in &files {
        let begin = function.place.as_ref().filter(|place| place.file == *file).map(|place| place.line);
        let _ = write!(text, "\n{BOLD}{}{BOLD:#}", sources.shown(file));
        match sources.lines(file) {
            Ok(lines) => {
                let _ = writeln!(text);
                Window { lines: &lines, sites, sources }.write(&mut text, begin.unwrap_or(0));
            }
            Err(reason) => {
                let _ = writeln!(text, ": {reason}");
                list(&mut text, sites, sources);
            }
        }
    }
    if !unplaced.is_empty() {
        let has_none = files.is_empty();
        let _ = writeln!(text, "\n{BOLD}without a line of source{BOLD:#}");
        list(&mut text, &BTreeMap::from([(0, unplaced)]), sources);
        if has_none {
            let _ = writeln!(
                text,
                "\nThis build has no debug information. For lines of source: \
                 CARGO_PROFILE_{profile}_DEBUG=line-tables-only cargo concord explain ..."
            );
        }
    }
    text.push('\n');
    text
}

fn heading(function: &FunctionReport, bound: u32, sources: &Sources) -> String {
    let counts = Counts::of(function, bound);
    let place =
        function.place.as_ref().map(|place| format!("  ({}:{})", sources.shown(&place.file), place.line));
    let mark = if counts.over_bound { ", which is more than" } else { "," };
    let path = counts.longest_path_instructions;
    let mut text = format!("{BOLD}{}{BOLD:#}{}\n", function.name, place.unwrap_or_default());
    let _ = writeln!(
        text,
        "longest path without a probe: {path} instructions (about {} ns){mark} bound {bound}",
        nanoseconds(path)
    );
    if let Some(path) = function.machine_path {
        let _ = writeln!(text, "longest in the machine code: {path} instructions");
    }
    let loops = counts.loops;
    let mut parts = vec![format!("probes: {}", counts.probes)];
    for (count, what) in [
        (loops.straight, "straight loops"),
        (loops.strip_mined, "strip-mined loops"),
        (loops.unrolled, "unrolled loops"),
        (loops.probed, "probed loops"),
        (loops.covered, "covered loops"),
        (counts.unprobed_calls, "unprobed calls"),
        (counts.guarded_regions, "guarded regions"),
    ] {
        if count > 0 {
            parts.push(format!("{what}: {count}"));
        }
    }
    let _ = writeln!(text, "{}", parts.join(", "));
    // What every probe and guard calls is no news.
    let foreign = function.external_calls.iter().filter(|symbol| !symbol.starts_with("concord_"));
    let foreign: Vec<String> =
        foreign.map(|symbol| format!("{:#}", rustc_demangle::demangle(symbol))).collect();
    for (found, what) in
        [(&foreign, "calls code without probes"), (&function.unbounded, "paths that nobody can bound")]
    {
        if !found.is_empty() {
            let _ = writeln!(text, "{what}: {}", found.join(", "));
        }
    }
    text
}

/// The sites by file, the function's own file first, then in the order of the sites; and those without a place.
fn by_file(function: &FunctionReport) -> (Vec<(&str, Lines<'_>)>, Vec<&SiteReport>) {
    let mut files: Vec<(&str, Lines<'_>)> = Vec::new();
    files.extend(function.place.as_ref().map(|place| (place.file.as_str(), Lines::new())));
    let mut unplaced = Vec::new();
    for site in &function.sites {
        let Some(Place { file, line }) = site.call.as_ref().or(site.place.as_ref()) else {
            unplaced.push(site);
            continue;
        };
        let at = files.iter().position(|(name, _)| name == file).unwrap_or_else(|| {
            files.push((file, Lines::new()));
            files.len() - 1
        });
        files[at].1.entry(*line).or_default().push(site);
    }
    (files, unplaced)
}

#[cfg(test)]
mod tests {
    use concord_job::SiteKind;

    use super::*;

    fn site(kind: SiteKind, file: &str, line: u32) -> SiteReport {
        let place = (!file.is_empty()).then(|| Place { file: file.to_owned(), line });
        SiteReport { kind, place, call: None, reason: format!("because of {line}") }
    }

    fn rendered(place: Option<(&str, u32)>, longest_path: u32, sites: Vec<SiteReport>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let source: String = (1..=40).map(|line| format!("source {line}\n")).collect();
        std::fs::write(folder.path().join("a.rs"), source).unwrap();
        let sources = Sources::new(vec![folder.path().to_path_buf()], folder.path().to_path_buf());
        let function = FunctionReport {
            name: "app::f".to_owned(),
            place: place.map(|(file, line)| Place { file: file.to_owned(), line }),
            longest_path,
            sites,
            machine_path: Some(90),
            external_calls: [
                "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check",
                "concord_probe_slow",
                "memcpy",
            ]
            .map(str::to_owned)
            .to_vec(),
            ..FunctionReport::default()
        };
        anstream::adapter::strip_str(&render(&function, 1600, &sources, "FAST")).to_string()
    }

    #[test]
    fn sites_stand_below_their_lines_and_long_gaps_are_left_out() {
        let text = rendered(
            Some(("a.rs", 3)),
            100,
            vec![
                site(SiteKind::StripMinedLoop, "a.rs", 5),
                site(SiteKind::UnprobedCall, "a.rs", 5),
                site(SiteKind::StraightLoop, "a.rs", 30),
            ],
        );
        let expected = "\
app::f  (a.rs:3)
longest path without a probe: 100 instructions (about ESTIMATE ns), bound 1600
longest in the machine code: 90 instructions
probes: 1, straight loops: 1, strip-mined loops: 1, unprobed calls: 1
calls code without probes: core::panicking::panic_bounds_check, memcpy

a.rs
      1 | source 1
      2 | source 2
      3 | source 3
      4 | source 4
!     5 | source 5
        | = strip-mined loop: because of 5
        | = unprobed call: because of 5
      6 | source 6
      7 | source 7
     ...
     28 | source 28
     29 | source 29
-    30 | source 30
        | = straight loop: because of 30
     31 | source 31
     32 | source 32

";
        let trimmed: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert_eq!(trimmed, expected.replace("ESTIMATE", &nanoseconds(100).to_string()));
    }

    #[test]
    fn sites_of_inlined_functions_stand_where_these_are_called() {
        let inlined = SiteReport {
            call: Some(Place { file: "a.rs".to_owned(), line: 7 }),
            ..site(SiteKind::ProbedLoop, "/rustc/x/library/range.rs", 800)
        };
        let text = rendered(Some(("a.rs", 5)), 0, vec![inlined]);
        let expected = "= probed loop: because of 800 [inlined: library/range.rs:800]";
        assert!(text.contains("*     7 | source 7") && text.contains(expected), "{text}");
        assert!(!text.contains("rust-src"), "{text}");
    }

    #[test]
    fn equal_sites_of_a_line_are_counted() {
        let text = rendered(
            Some(("a.rs", 1)),
            0,
            vec![site(SiteKind::Probe, "a.rs", 2), site(SiteKind::Probe, "a.rs", 2)],
        );
        assert!(text.contains("= probe (2 times): because of 2"), "{text}");
        assert_eq!(text.matches("because").count(), 1);
    }

    #[test]
    fn missing_source_is_said_and_the_sites_are_listed() {
        let text = rendered(
            Some(("gone.rs", 1)),
            2000,
            vec![
                site(SiteKind::Probe, "gone.rs", 9),
                site(SiteKind::GuardedRegion, "/rustc/x/library/l.rs", 4),
            ],
        );
        assert!(text.contains(" ns), which is more than bound 1600"), "{text}");
        assert!(text.contains("gone.rs: this file is not on this machine\n  line 9\n"), "{text}");
        assert!(text.contains("library/l.rs: the standard library's source is not installed"), "{text}");
        assert!(text.contains("= guarded region: because of 4"), "{text}");
    }

    #[test]
    fn without_debug_information_the_way_to_get_it_is_said() {
        let text = rendered(None, 0, vec![site(SiteKind::ProbedLoop, "", 0)]);
        assert!(
            text.contains("= probed loop") && text.contains("CARGO_PROFILE_FAST_DEBUG=line-tables-only"),
            "{text}"
        );
        let text = rendered(
            Some(("a.rs", 1)),
            0,
            vec![site(SiteKind::ProbedLoop, "", 0), site(SiteKind::Probe, "a.rs", 1)],
        );
        assert!(text.contains("without a line of source") && !text.contains("DEBUG="), "{text}");
    }

    #[test]
    fn lines_that_the_file_no_longer_has_do_not_trip() {
        let text = rendered(Some(("a.rs", 39)), 0, vec![site(SiteKind::Probe, "a.rs", 45)]);
        assert!(text.contains("45 | (the file is shorter)") && text.contains("40 | source 40"), "{text}");
    }
}
