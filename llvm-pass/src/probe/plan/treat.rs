//! Decides about loops, and puts the sites that loops need.

use super::walk::{Ends, Node, distinct};
use super::{Planner, Shape, Site, Step, StepKind, Treatment};
use crate::probe::state::{State, Summary};

/// A round without a probe that costs no less than this loses nothing measurable by one.
const LONG_ROUND: u32 = 100;

/// A chunk has no fewer rounds.
const FEWEST_ROUNDS: u32 = 2;

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
        // Clean rounds before the last one, since the loop was entered and since its own site.
        let [earlier, later] = match treatment {
            Treatment::Straight { rounds } => [rounds; 2],
            Treatment::StripMined { first, chunk } => [first, chunk],
            Treatment::Probed | Treatment::Dispatched | Treatment::Covered | Treatment::Cleanup => [1; 2],
        }
        .map(|rounds| round.saturating_mul(rounds.saturating_sub(1)));
        match treatment {
            Treatment::StripMined { .. } => self.sites.push(Site::Chunk { header }),
            Treatment::Probed => {
                let all = back.is_some_and(|back| back.saturating_add(ends.head) > self.bound.limit);
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
        let longer = |cost: u32, by: u32| cost.saturating_add(by);
        let out = ends.out.clean.map(|span| span.most);
        let head = |earlier: u32| longer(ends.head.max(round), earlier);
        let tail = after.zip(out).map(|(after, out)| longer(after, longer(out, later)));
        let summary = Summary {
            through: out.map(|out| longer(out, earlier)),
            least: ends.out.clean.map_or(0, |span| span.least),
            head: head(earlier),
            tail: ends.out.dirty.max(tail),
        };
        if treatment != Treatment::Cleanup {
            let from_site = after.map_or(0, |after| longer(after, head(later)));
            self.longest = self.longest.max(summary.head).max(from_site);
        }
        self.summaries.insert(index, summary);
        treatment
    }

    /// Whether a loop can end before its count is over, and the function goes on.
    fn is_left_early(&self, index: usize) -> bool {
        let Shape { blocks, returns, .. } = self.shape;
        let goes_on = |block: usize| returns[block] || !blocks.successors[block].is_empty();
        self.exits(index).iter().filter(|&&(_, to)| goes_on(to)).count() > 1
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
            let is_passed = match node {
                Node::Block(_) => true,
                // Whoever enters the loop comes to its header first.
                Node::Loop(inner) => self.forest.loops[inner].entries == [block],
            };
            (is_place && is_passed).then_some(node)
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
            if chunk >= FEWEST_ROUNDS && fits(chunk) {
                let first =
                    (self.bound.opening(self.is_left_early(index)) / most).clamp(FEWEST_ROUNDS, chunk);
                return Treatment::StripMined { first, chunk };
            }
        }
        Treatment::Probed
    }
}
