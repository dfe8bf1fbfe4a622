//! Follows the paths of a region, and puts sites where they would go on for too long.

use std::collections::{BTreeMap, HashMap};

use super::{Planner, Site, StepKind};
use crate::probe::state::{State, Summary};

/// How a region is left.
#[derive(Default)]
pub(super) struct Ends {
    /// Back to the loop's header.
    pub(super) back: State,
    /// The same by latch.
    pub(super) latches: BTreeMap<usize, State>,
    /// Out of the region.
    pub(super) out: State,
    /// The longest clean path in it.
    pub(super) head: u32,
}

/// A block, or a loop inside the region, as a node of the region's flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    Block(usize),
    Loop(usize),
}

impl Planner<'_> {
    /// Follows all paths of a region, and puts sites where they would go on for too long.
    pub(super) fn walk(&mut self, region: Option<usize>, start: State) -> Ends {
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
            let state = if self.behind_dispatch.contains(&node) { self.probe_at(node) } else { state };
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

    /// Puts a site where `node` begins. For a loop that is in each round: before it, it would stand in the dispatch.
    fn probe_at(&mut self, node: Node) -> State {
        let block = match node {
            Node::Block(block) => block,
            Node::Loop(inner) => self.forest.loops[inner].header,
        };
        self.sites.push(Site::Round { block, at: self.shape.steps[block][0].at });
        State::PROBED
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
        // Where no switch may happen, nothing can be late.
        if !is_cleanup {
            if let Some(clean) = state.clean {
                *head = (*head).max(clean.most.saturating_add(reach));
            }
            let passed = state.longest().saturating_add(reach).max(region.tail.unwrap_or(0));
            self.longest = self.longest.max(passed);
        }
        state.behind(region)
    }

    /// The node of `region` that stands for `block`; `None` outside of the region.
    pub(super) fn node(&self, region: Option<usize>, block: usize) -> Option<Node> {
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
    pub(super) fn exits(&self, index: usize) -> Vec<(usize, usize)> {
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
    pub(super) fn order(&self, region: Option<usize>, entries: &[usize]) -> Vec<Node> {
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

pub(super) fn distinct(blocks: &[usize]) -> Vec<usize> {
    let mut distinct = blocks.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
