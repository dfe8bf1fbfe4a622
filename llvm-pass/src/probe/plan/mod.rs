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

mod treat;
mod walk;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::cfg::Graph;
use crate::loops::Forest;
use crate::probe::state::{Bound, Summary};
use walk::Node;

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
    /// Blocks that end in a jump through a table, or to an address: interpreters have one for each operation.
    pub dispatches: Vec<bool>,
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
    /// Before an instruction that each round of a loop comes to.
    Round {
        /// Its block.
        block: usize,
        /// Its position there.
        at: usize,
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
        /// Rounds of the first chunk.
        first: u32,
        /// Rounds of each later one.
        chunk: u32,
    },
    /// A site on each way round that meets none in the loop.
    Probed,
    /// A site wherever the dispatch in it leads.
    Dispatched,
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
        behind_dispatch: HashSet::new(),
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

struct Planner<'shape> {
    shape: &'shape Shape,
    bound: Bound,
    forest: Forest,
    /// Of the loops that have been treated.
    summaries: HashMap<usize, Summary>,
    sites: Vec<Site>,
    /// Begin with a site, since a dispatch leads to them.
    behind_dispatch: HashSet<Node>,
    longest: u32,
}

#[cfg(test)]
mod tests;
