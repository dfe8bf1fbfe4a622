//! Where probes go, decided on plain graphs.
//!
//! Regions (a function, a round of each loop) are walked from the inside out, in the order of their flow; each
//! becomes a [`Summary`] that the region around it passes like a call. Invariants of a [`Plan`]:
//!
//! (1) Every cycle of the flow meets a site, or belongs to a loop that is left after a proved number of rounds.
//! (2) No path from a site or the function's entry goes on for more than [`Bound::limit`] without a site; calls of
//!     long code without probes and cleanup code, which must not be switched in, apart.
//! (3) A call of long code without probes is followed by a site.
//! (4) The same input gives the same plan.

use std::collections::{BTreeMap, HashMap};

use crate::cfg::Graph;
use crate::loops::Forest;
use crate::probe::state::{Bound, State, Summary};

/// A function, as far as placement looks at it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Its blocks; entry first.
    pub blocks: Graph,
    /// What each block does, in order.
    pub steps: Vec<Vec<Step>>,
    /// For each block that ends in a call: where the call unwinds to. What follows the call is not on that way.
    pub unwinds_to: Vec<Option<usize>>,
    /// Blocks that run only while the stack is unwound: no site may be there.
    pub is_cleanup: Vec<bool>,
    /// Blocks that return to the caller.
    pub returns: Vec<bool>,
    /// How often loops go round, by header; absent: unknown.
    pub rounds: BTreeMap<usize, Rounds>,
    /// Whether there is a site at the entry: the call graph has a cycle here.
    pub has_entry_site: bool,
}

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its first instruction, by position in the block.
    pub at: usize,
    /// What it does.
    pub kind: StepKind,
}

/// The kinds of [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Instructions of this cost.
    Work(u32),
    /// A call of code whose paths are known.
    Call(Summary),
    /// A call of code without probes that may run for long.
    LongCall,
}

/// What is known of a loop's rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// At most so many each time it is entered.
    pub most: Option<u64>,
    /// Whether it counts towards a limit that can be moved: then it can run in chunks.
    pub is_counted: bool,
}

/// A place for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// At the function's entry.
    Entry,
    /// Before an instruction, in code that would go on for too long.
    Before {
        /// Its block.
        block: usize,
        /// Its position there.
        at: usize,
    },
    /// After a call of long code.
    AfterCall {
        /// Its block.
        block: usize,
        /// The call's position there.
        at: usize,
    },
    /// On every way into a loop that would go on for too long.
    BeforeLoop {
        /// The loop's header.
        header: usize,
    },
    /// On the way back to a loop's header.
    BackEdge {
        /// From this block.
        latch: usize,
        /// To this one.
        header: usize,
    },
    /// Between two chunks of the loop with this header.
    Chunk {
        /// The loop's header.
        header: usize,
    },
}

/// What becomes of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Few rounds, proved: straight code.
    Straight {
        /// At most so many.
        rounds: u32,
    },
    /// Cut into chunks, a site between two.
    StripMined {
        /// Rounds of a chunk.
        chunk: u32,
    },
    /// A site on each way back that meets none in the loop.
    Probed,
    /// Every round meets a site in the loop.
    Covered,
    /// Runs only while the stack is unwound: left alone.
    Cleanup,
}

/// The places for one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Sorted.
    pub sites: Vec<Site>,
    /// By header, sorted.
    pub loops: Vec<(usize, Treatment)>,
    /// What calling the function means.
    pub summary: Summary,
    /// The longest path without a probe.
    pub longest: u32,
}

/// Places the probes of one function.
pub fn plan(shape: &Shape, bound: Bound) -> Plan {
    let mut planner = Planner {
        shape,
        bound,
        forest: Forest::of(&shape.blocks),
        summaries: HashMap::new(),
        sites: Vec::new(),
        longest: 0,
    };
    let mut loops: Vec<(usize, Treatment)> = (0..planner.forest.loops.len())
        .rev()
        .map(|index| (planner.forest.loops[index].header, planner.treat(index)))
        .collect();
    let summary = planner.whole();
    loops.sort_unstable_by_key(|(header, _)| *header);
    planner.sites.sort_unstable();
    planner.sites.dedup();
    Plan { sites: planner.sites, loops, summary, longest: planner.longest }
}

/// A round without a probe that costs no less than this loses nothing measurable by one.
const LONG_ROUND: u32 = 100;

struct Planner<'shape> {
    shape: &'shape Shape,
    bound: Bound,
    forest: Forest,
    /// Of the loops that have been treated.
    summaries: HashMap<usize, Summary>,
    sites: Vec<Site>,
    longest: u32,
}

/// How a region is left.
#[derive(Default)]
struct Ends {
    /// Back to the loop's header.
    back: State,
    /// The same by latch.
    latches: BTreeMap<usize, State>,
    /// Out of the region.
    out: State,
    /// The longest clean path in it.
    head: u32,
}

/// A block, or a loop inside the region, as a node of the region's flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Node {
    Block(usize),
    Loop(usize),
}

impl Planner<'_> {
    fn whole(&mut self) -> Summary {
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
    fn treat(&mut self, index: usize) -> Treatment {
        let ends = self.walk(Some(index), State::ENTRY);
        let treatment = self.choose(index, &ends);
        let own = &self.forest.loops[index];
        let header = own.header;
        let round = ends.back.most_clean();
        let mut back = ends.back.dirty;
        // Clean rounds before the last one.
        let earlier = match treatment {
            Treatment::Straight { rounds } | Treatment::StripMined { chunk: rounds } => {
                round.saturating_mul(rounds.saturating_sub(1))
            }
            Treatment::Probed | Treatment::Covered | Treatment::Cleanup => 0,
        };
        let is_late = |back: Option<u32>| {
            back.is_some_and(|back| back.saturating_add(earlier).saturating_add(ends.head) > self.bound.limit)
        };
        match treatment {
            Treatment::StripMined { .. } => self.sites.push(Site::Chunk { header }),
            Treatment::Probed => {
                let all = is_late(back);
                let needs_site = |state: &State| all || state.clean.is_some();
                let latches = ends
                    .latches
                    .iter()
                    .filter(|(latch, state)| needs_site(state) && !self.shape.is_cleanup[**latch]);
                self.sites.extend(latches.map(|(&latch, _)| Site::BackEdge { latch, header }));
                back = if all { Some(0) } else { back.max(Some(0)) };
            }
            Treatment::Straight { .. } | Treatment::Covered | Treatment::Cleanup => {}
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

    /// Follows all paths of a region, and puts sites where they would go on for too long.
    fn walk(&mut self, region: Option<usize>, start: State) -> Ends {
        let mut arriving: HashMap<Node, State> = HashMap::new();
        let mut ends = Ends::default();
        let entries = match region {
            Some(region) => self.forest.loops[region].entries.clone(),
            None => vec![0],
        };
        if self.shape.blocks.is_empty() {
            return ends;
        }
        for &entry in &entries {
            if let Some(node) = self.node(region, entry) {
                arriving.insert(node, start);
            }
        }
        for node in self.order(region, &entries) {
            let state = arriving.get(&node).copied().unwrap_or_default();
            if state.is_empty() {
                continue;
            }
            match node {
                Node::Block(block) => {
                    let (normal, unwinding) = self.pass(block, state, &mut ends.head);
                    if self.shape.returns[block] {
                        ends.out = ends.out.join(normal);
                    }
                    for next in distinct(&self.shape.blocks.successors[block]) {
                        let is_unwinding = self.shape.unwinds_to[block] == Some(next);
                        let state = if is_unwinding { unwinding } else { normal };
                        self.leave(region, block, next, state, &mut arriving, &mut ends);
                    }
                }
                Node::Loop(inner) => {
                    let summary = self.summaries.get(&inner).copied().unwrap_or_default();
                    let header = self.forest.loops[inner].header;
                    let is_cleanup = self.shape.is_cleanup[header];
                    let site = Site::BeforeLoop { header };
                    let state = self.enter(state, summary, site, is_cleanup, &mut ends.head);
                    for (from, to) in self.exits(inner) {
                        self.leave(region, from, to, state, &mut arriving, &mut ends);
                    }
                }
            }
        }
        ends
    }

    /// Takes the edge from block `from` to block `to` in `state`.
    fn leave(
        &self,
        region: Option<usize>,
        from: usize,
        to: usize,
        state: State,
        arriving: &mut HashMap<Node, State>,
        ends: &mut Ends,
    ) {
        if region.is_some_and(|region| self.forest.loops[region].header == to) {
            ends.back = ends.back.join(state);
            let latch = ends.latches.entry(from).or_default();
            *latch = latch.join(state);
        } else if let Some(node) = self.node(region, to) {
            let known = arriving.entry(node).or_default();
            *known = known.join(state);
        } else {
            ends.out = ends.out.join(state);
        }
    }

    /// Follows a block; the states on its ordinary ways on, and on that of unwinding.
    fn pass(&mut self, block: usize, mut state: State, head: &mut u32) -> (State, State) {
        let shape = self.shape;
        let is_cleanup = shape.is_cleanup[block];
        let mut unwinding = None;
        for step in &shape.steps[block] {
            let site = Site::Before { block, at: step.at };
            match step.kind {
                StepKind::Work(cost) => {
                    state = self.enter(state, Summary::of_work(cost), site, is_cleanup, head);
                    unwinding = None;
                }
                StepKind::Call(summary) => {
                    state = self.enter(state, summary, site, is_cleanup, head);
                    unwinding = None;
                }
                StepKind::LongCall => {
                    unwinding = Some(state);
                    if !is_cleanup {
                        self.sites.push(Site::AfterCall { block, at: step.at });
                        state = State::PROBED;
                    }
                }
            }
        }
        (state, unwinding.unwrap_or(state))
    }

    /// Goes through `region` from `state`, with `site` before it if need be.
    fn enter(
        &mut self,
        mut state: State,
        region: Summary,
        site: Site,
        is_cleanup: bool,
        head: &mut u32,
    ) -> State {
        let reach = region.head.max(region.through.unwrap_or(0));
        if !is_cleanup && !state.fits(reach, self.bound) && state.longest() > 0 {
            self.sites.push(site);
            state = State::PROBED;
        }
        if let Some(clean) = state.clean {
            *head = (*head).max(clean.most.saturating_add(reach));
        }
        let passed = state.longest().saturating_add(reach).max(region.tail.unwrap_or(0));
        // Where no switch may happen, nothing can be late.
        if !is_cleanup {
            self.longest = self.longest.max(passed);
        }
        state.behind(region)
    }

    /// The node of `region` that stands for `block`; `None` outside of the region.
    fn node(&self, region: Option<usize>, block: usize) -> Option<Node> {
        let mut node = Node::Block(block);
        let mut around = self.forest.innermost[block];
        while around != region {
            let own = around?;
            node = Node::Loop(own);
            around = self.forest.loops[own].parent;
        }
        Some(node)
    }

    /// The edges that leave a loop.
    fn exits(&self, index: usize) -> Vec<(usize, usize)> {
        let own = &self.forest.loops[index];
        let mut exits = Vec::new();
        for &block in &own.blocks {
            let nexts = self.shape.blocks.successors[block].iter();
            let outside = nexts.filter(|next| own.blocks.binary_search(next).is_err());
            exits.extend(outside.map(|&next| (block, next)));
        }
        exits
    }

    /// The nodes of a region, each behind those that lead to it.
    fn order(&self, region: Option<usize>, entries: &[usize]) -> Vec<Node> {
        let header = region.map(|region| self.forest.loops[region].header);
        let mut seen = std::collections::HashSet::new();
        let mut done = Vec::new();
        for &entry in entries {
            let mut open: Vec<(Node, Vec<usize>)> = Vec::new();
            self.open(region, entry, &mut seen, &mut open);
            while let Some((node, nexts)) = open.last_mut() {
                match nexts.pop() {
                    Some(next) if Some(next) != header => self.open(region, next, &mut seen, &mut open),
                    Some(_) => {}
                    None => {
                        done.push(*node);
                        open.pop();
                    }
                }
            }
        }
        done.reverse();
        done
    }

    fn open(
        &self,
        region: Option<usize>,
        block: usize,
        seen: &mut std::collections::HashSet<Node>,
        open: &mut Vec<(Node, Vec<usize>)>,
    ) {
        let Some(node) = self.node(region, block) else { return };
        if seen.insert(node) {
            let nexts = match node {
                Node::Block(block) => self.shape.blocks.successors[block].clone(),
                Node::Loop(inner) => self.exits(inner).into_iter().map(|(_, to)| to).collect(),
            };
            open.push((node, nexts));
        }
    }
}

fn distinct(blocks: &[usize]) -> Vec<usize> {
    let mut distinct = blocks.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

#[cfg(test)]
mod tests;
