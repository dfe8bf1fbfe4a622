//! Decides about loops, and puts the sites that loops need.

use super::walk::{Ends, Node, distinct};
use super::{Planner, Site, Step, StepKind, Treatment};
use crate::probe::state::{State, Summary};

/// A round without a probe that costs no less than this loses nothing measurable by one.
const LONG_ROUND: u32 = 100;

/// What may follow the probe of a round.
const SHORT_LATCH: u32 = 50;

/// A jump to at least so many blocks is made through a table.
const FEWEST_TARGETS: usize = 4;

impl Planner<'_> {
    /// Treats the function's straight code, when all loops are treated.
    pub(super) fn whole(&mut self) -> Summary {
        let start = if self.shape.has_entry_site { State::PROBED } else { State::ENTRY };
        if self.shape.has_entry_site {
            self.sites.push(Site::Entry);
        }
        let ends = self.walk(None, start);
        Summary {
            through: ends.out.clean.map(|span| span.most),
            least: ends.out.clean.map_or(0, |span| span.least),
            head: ends.head,
            tail: ends.out.dirty,
        }
    }

    /// Decides about a loop whose inner loops are decided.
    pub(super) fn treat(&mut self, index: usize) -> Treatment {
        let (sites, longest) = (self.sites.len(), self.longest);
        let mut ends = self.walk(Some(index), State::ENTRY);
        let mut treatment = self.choose(index, &ends);
        if treatment == Treatment::Probed && self.dispatches(index) {
            self.sites.truncate(sites);
            self.longest = longest;
            ends = self.walk(Some(index), State::ENTRY);
            treatment = match self.choose(index, &ends) {
                Treatment::Covered => Treatment::Dispatched,
                other => other,
            };
        }
        let own = &self.forest.loops[index];
        let header = own.header;
        let round = ends.back.most_clean();
        let mut back = ends.back.dirty;
        // Clean rounds before the last one.
        let earlier = match treatment {
            Treatment::Straight { rounds } | Treatment::StripMined { chunk: rounds } => {
                round.saturating_mul(rounds.saturating_sub(1))
            }
            Treatment::Probed | Treatment::Dispatched | Treatment::Covered | Treatment::Cleanup => 0,
        };
        let is_late = |back: Option<u32>| {
            back.is_some_and(|back| back.saturating_add(earlier).saturating_add(ends.head) > self.bound.limit)
        };
        match treatment {
            Treatment::StripMined { .. } => self.sites.push(Site::Chunk { header }),
            Treatment::Probed => {
                let all = is_late(back);
                let late = ends.latches.iter().filter(|(latch, state)| {
                    (all || state.clean.is_some()) && !self.shape.is_cleanup[**latch]
                });
                let late: Vec<usize> = late.map(|(&latch, _)| latch).collect();
                let rest = late.into_iter().map(|latch| self.probe_round(latch, header)).max();
                back = if all { rest } else { back.max(rest) };
            }
            Treatment::Straight { .. } | Treatment::Dispatched | Treatment::Covered | Treatment::Cleanup => {}
        }
        let has_own_site = matches!(treatment, Treatment::StripMined { .. } | Treatment::Probed);
        let after = back.max(has_own_site.then_some(0));
        let out = ends.out.clean.map(|span| span.most.saturating_add(earlier));
        let summary = Summary {
            through: out,
            least: ends.out.clean.map_or(0, |span| span.least),
            head: ends.head.saturating_add(earlier).max(earlier.saturating_add(round)),
            tail: ends.out.dirty.max(after.zip(out).map(|(after, out)| after.saturating_add(out))),
        };
        if treatment != Treatment::Cleanup {
            self.longest = self.longest.max(after.unwrap_or(0).saturating_add(summary.head));
        }
        self.summaries.insert(index, summary);
        treatment
    }

    /// Puts a site on the way from `latch` to `header`; the cost of what follows it in the round. A latch of
    /// straight code has it where it begins: at its end, what it computes would be alive across the probe.
    fn probe_round(&mut self, latch: usize, header: usize) -> u32 {
        let steps = &self.shape.steps[latch];
        let work = |step: &Step| match step.kind {
            StepKind::Work(cost) => Some(cost),
            StepKind::Call(_) | StepKind::LongCall => None,
        };
        let cost: Option<u32> = steps.iter().map(work).sum();
        let first = steps.first().filter(|_| latch != header).zip(cost.filter(|cost| *cost <= SHORT_LATCH));
        let (site, rest) = match first {
            Some((first, cost)) => (Site::Round { block: latch, at: first.at }, cost),
            None => (Site::BackEdge { latch, header }, 0),
        };
        self.sites.push(site);
        rest
    }

    /// Whether the loop's rounds go through a dispatch, whose targets then have the sites. On the way back, a probe
    /// would keep the code generator from copying the dispatch to the end of each operation, which is worth more
    /// than the probes cost.
    fn dispatches(&mut self, index: usize) -> bool {
        let own = &self.forest.loops[index];
        let order = self.order(Some(index), &own.entries);
        let targets = order.into_iter().find_map(|node| match node {
            Node::Block(block) if self.shape.dispatches[block] => self.targets(index, block),
            Node::Block(_) | Node::Loop(_) => None,
        });
        self.behind_dispatch.extend(targets.iter().flatten());
        targets.is_some()
    }

    /// Where a dispatch leads to in its loop, if a site can stand at each of these places, and they are many.
    fn targets(&self, index: usize, dispatch: usize) -> Option<Vec<Node>> {
        let own = &self.forest.loops[index];
        let nexts = distinct(&self.shape.blocks.successors[dispatch]);
        let inside = nexts.into_iter().filter(|next| own.blocks.binary_search(next).is_ok());
        let target = |block: usize| {
            let is_place = !self.shape.is_cleanup[block] && !self.shape.steps[block].is_empty();
            let node = self.node(Some(index), block)?;
            let is_midway = matches!(node, Node::Loop(inner) if self.forest.loops[inner].header != block);
            (is_place && !is_midway).then_some(node)
        };
        let targets: Vec<Node> = inside.map(target).collect::<Option<_>>()?;
        (targets.len() >= FEWEST_TARGETS).then_some(targets)
    }

    fn choose(&self, index: usize, ends: &Ends) -> Treatment {
        let own = &self.forest.loops[index];
        if own.latches.iter().all(|latch| self.shape.is_cleanup[*latch]) {
            return Treatment::Cleanup;
        }
        let limit = self.bound.limit;
        let Some(round) = ends.back.clean else {
            let back = ends.back.dirty.unwrap_or(0);
            return if back.saturating_add(ends.head) <= limit {
                Treatment::Covered
            } else {
                Treatment::Probed
            };
        };
        let most = round.most.max(1);
        let fits = |rounds: u32| {
            let cost = most.saturating_mul(rounds);
            cost <= self.bound.rounds()
                && ends
                    .back
                    .dirty
                    .is_none_or(|back| back.saturating_add(cost).saturating_add(ends.head) <= limit)
        };
        if own.entries.len() > 1 {
            return Treatment::Probed;
        }
        let known = self.shape.rounds.get(&own.header).copied().unwrap_or_default();
        let few = known.most.and_then(|rounds| u32::try_from(rounds).ok());
        if let Some(rounds) = few.filter(|rounds| fits(*rounds)) {
            return Treatment::Straight { rounds };
        }
        if known.is_counted && round.least < LONG_ROUND {
            let chunk = self.bound.rounds() / most;
            if chunk > 1 && fits(chunk) {
                return Treatment::StripMined { chunk };
            }
        }
        Treatment::Probed
    }
}
