//! Lines of source with sites in the margin and below.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use concord_job::{Place, SiteKind, SiteReport};

use super::source::Sources;

/// Lines shown before the first and after the last line that matters.
const AROUND: u32 = 2;

/// A gap of more lines between two that matter is left out.
const LONGEST_GAP: u32 = 6;

const FAINT: Style = Style::new().dimmed();

/// Sites by line of the function itself, where it is known; else of what was inlined.
pub(super) type Lines<'a> = BTreeMap<u32, Vec<&'a SiteReport>>;

/// The part of a file that is shown.
pub(super) struct Window<'a> {
    /// The whole file.
    pub(super) lines: &'a [String],
    /// The sites in it.
    pub(super) sites: &'a Lines<'a>,
    /// For the names of other files.
    pub(super) sources: &'a Sources,
}

impl Window<'_> {
    /// The lines from the function's beginning to its last site, long gaps left out, each site below its line.
    pub(super) fn write(&self, text: &mut String, begin: u32) {
        let last_line = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        if let Some(unknown) = self.sites.get(&0) {
            notes(text, unknown, self.sources);
        }
        let matters: Vec<u32> =
            std::iter::once(begin).chain(self.sites.keys().copied()).filter(|line| *line > 0).collect();
        let mut shown_to = 0;
        for line in matters {
            let mut from = line.saturating_sub(AROUND).max(1);
            if shown_to > 0 && from <= shown_to + LONGEST_GAP {
                from = shown_to + 1;
            } else if shown_to > 0 {
                let _ = writeln!(text, "{FAINT}     ...{FAINT:#}");
            }
            let to = (line + AROUND).min(last_line).max(line);
            for number in from.max(shown_to + 1)..=to {
                self.line(text, number);
            }
            shown_to = shown_to.max(to);
        }
    }

    fn line(&self, text: &mut String, number: u32) {
        let source = self.lines.get(number as usize - 1).map_or("(the file is shorter)", String::as_str);
        let sites = self.sites.get(&number);
        let kinds = sites.into_iter().flatten().map(|site| site.kind);
        let (sign, style) = kinds
            .max_by_key(|kind| weight(*kind))
            .map_or((" ", Style::new()), |kind| (sign(kind), style(kind)));
        let _ = writeln!(text, "{style}{sign}{style:#} {number:>5} {FAINT}|{FAINT:#} {source}");
        if let Some(sites) = sites {
            notes(text, sites, self.sources);
        }
    }
}

/// One line for each different site; copies of a loop and inlined calls give the same one often.
fn notes(text: &mut String, sites: &[&SiteReport], sources: &Sources) {
    let mut different: Vec<(&SiteReport, usize)> = Vec::new();
    let key = |site: &SiteReport| (site.kind, site.reason.clone(), inlined(site).cloned());
    for site in sites {
        match different.iter_mut().find(|(known, _)| key(known) == key(site)) {
            Some((_, times)) => *times += 1,
            None => different.push((site, 1)),
        }
    }
    for (site, times) in different {
        let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
        let inlined = inlined(site).map(|place| {
            let line = if place.line > 0 { format!(":{}", place.line) } else { String::new() };
            format!(" {FAINT}[inlined: {}{line}]{FAINT:#}", sources.shown(&place.file))
        });
        let style = style(site.kind);
        let _ = writeln!(
            text,
            "        {FAINT}|{FAINT:#} {style}= {}{times}{style:#}: {}{}",
            word(site.kind),
            site.reason,
            inlined.unwrap_or_default()
        );
    }
}

/// The place in a function that was inlined, when the site is shown where that one is called.
fn inlined(site: &SiteReport) -> Option<&Place> {
    site.call.as_ref().and(site.place.as_ref())
}

/// Without source: the lines' numbers alone.
pub(super) fn list(text: &mut String, sites: &Lines<'_>, sources: &Sources) {
    for (line, sites) in sites {
        if *line > 0 {
            let _ = writeln!(text, "  line {line}");
        }
        notes(text, sites, sources);
    }
}

fn word(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Probe => "probe",
        SiteKind::StraightLoop => "straight loop",
        SiteKind::StripMinedLoop => "strip-mined loop",
        SiteKind::UnrolledLoop => "unrolled loop",
        SiteKind::ProbedLoop => "probed loop",
        SiteKind::CoveredLoop => "covered loop",
        SiteKind::UnprobedCall => "unprobed call",
        SiteKind::GuardedRegion => "guarded region",
    }
}

/// In the margin: `*` a probe, `-` a loop that needs none, `!` no probe for an unknown time, `#` preemption waits.
fn sign(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Probe | SiteKind::StripMinedLoop | SiteKind::UnrolledLoop | SiteKind::ProbedLoop => "*",
        SiteKind::StraightLoop | SiteKind::CoveredLoop => "-",
        SiteKind::UnprobedCall => "!",
        SiteKind::GuardedRegion => "#",
    }
}

fn style(kind: SiteKind) -> Style {
    let colour = match sign(kind) {
        "*" => AnsiColor::Green,
        "-" => AnsiColor::Cyan,
        "!" => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    colour.on_default()
}

/// The site that a line with several is marked with.
fn weight(kind: SiteKind) -> u32 {
    match sign(kind) {
        "!" => 3,
        "#" => 2,
        "*" => 1,
        _ => 0,
    }
}
