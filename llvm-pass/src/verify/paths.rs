//! The longest path without a probe, through calls and through loops with a bound.
//!
//! Without its probes, and with each component as one node, a function's graph has no cycle: one walk in topological
//! order finds the longest paths. Within a component a path comes at most `bound` times to the nodes that the bound
//! counts, and between two such visits it takes the longest way through the rest, which is found in the same manner.

use super::cycles::{Bounded, Component, Visits};
use crate::cfg::Graph;

/// What a node of a [`Flow`] does beside its own instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Plain,
    /// Looks at the line.
    Probe,
    /// Calls the function of this number.
    Call(usize),
}

/// A function, as far as paths are concerned.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Over its nodes; node 0 is the entry.
    pub graph: Graph,
    /// Instructions of each node.
    pub costs: Vec<u32>,
    /// What each does.
    pub steps: Vec<Step>,
    /// Whether each returns.
    pub returns: Vec<bool>,
    /// Where control comes in otherwise than by a call: landing pads.
    pub pads: Vec<usize>,
}

/// Paths of one function, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The longest anywhere in it, its callees' parts at the ends included.
    pub longest: u64,
    /// The longest from the entry to a probe or the exit.
    pub head: u64,
    /// The longest from a probe or the entry to the exit; absent when it does not return.
    pub tail: Option<u64>,
    /// The longest from the entry to the exit; absent when each way passes a probe.
    pub through: Option<u64>,
}

/// A callee that is not known yet, because it calls back: nothing of it is counted.
pub const UNKNOWN: Lengths = Lengths { longest: 0, head: 0, tail: Some(0), through: Some(0) };

impl Flow {
    /// Whether every walk through `node` passes a probe.
    pub fn stops(&self, node: usize, callees: &[Lengths]) -> bool {
        match self.steps[node] {
            Step::Plain => false,
            Step::Probe => true,
            Step::Call(callee) => callees[callee].through.is_none(),
        }
    }

    /// What callers may know of the function before its own calls are measured: whether each way passes a probe.
    /// A loop that calls the function that it is in has a probe by that.
    pub fn unmeasured(&self, callees: &[Lengths]) -> Lengths {
        let is_probe = |node: usize| self.stops(node, callees);
        let entry = (!self.graph.is_empty()).then_some(0);
        let reached = self.graph.reached(entry.as_slice(), is_probe);
        let is_passed =
            (0..self.graph.len()).any(|node| reached[node] && self.returns[node] && !is_probe(node));
        Lengths { through: is_passed.then_some(0), ..UNKNOWN }
    }

    /// The nodes that no probe stops.
    pub fn unstopped(&self, callees: &[Lengths]) -> Vec<usize> {
        (0..self.graph.len()).filter(|&node| !self.stops(node, callees)).collect()
    }
}

/// Measures a function whose nodes without probes have these components.
pub fn measure(flow: &Flow, components: &[Component], callees: &[Lengths]) -> Lengths {
    if flow.graph.is_empty() {
        return Lengths::default();
    }
    let mut scales = Scales {
        flow,
        callees,
        owner: vec![0; flow.graph.len()],
        level: vec![0; flow.graph.len()],
        levels: 0,
    };
    let parts = scales.condense(&flow.unstopped(callees), components);
    Measure::new(flow, callees, &parts, &scales.owner).run()
}

/// A part of the condensed graph: a node, or a component.
#[derive(Default)]
struct Part {
    nodes: Vec<usize>,
    /// The longest way through it.
    weight: u64,
    /// The longest way out of it from the probe of a loop in it that runs in chunks.
    chunk: Option<u64>,
    /// Of the callees inside: their longest head and tail.
    head: u64,
    tail: Option<u64>,
}

struct Scales<'a> {
    flow: &'a Flow,
    callees: &'a [Lengths],
    /// The part that a node is in, on the level at work.
    owner: Vec<usize>,
    level: Vec<usize>,
    levels: usize,
}

impl Scales<'_> {
    /// The parts of `nodes`, in topological order.
    fn condense(&mut self, nodes: &[usize], components: &[Component]) -> Vec<Part> {
        let mut parts: Vec<Part> = components.iter().map(|component| self.part_of(component)).collect();
        self.levels += 1;
        let level = self.levels;
        for (index, part) in parts.iter().enumerate() {
            for &node in &part.nodes {
                (self.owner[node], self.level[node]) = (index, level);
            }
        }
        for &node in nodes {
            if self.level[node] != level {
                (self.owner[node], self.level[node]) = (parts.len(), level);
                parts.push(self.single(node));
            }
        }
        self.sort(parts, level)
    }

    fn single(&self, node: usize) -> Part {
        let mut part = Part { nodes: vec![node], weight: self.cost(node), ..Part::default() };
        self.add_callees(&mut part);
        part
    }

    fn part_of(&mut self, component: &Component) -> Part {
        let (nodes, weight, chunk) = match component {
            Component::Bounded(bounded) => {
                let (weight, chunk) = self.weight(bounded);
                (bounded.nodes.clone(), weight, chunk)
            }
            Component::Endless(nodes) => {
                (nodes.clone(), nodes.iter().map(|&node| self.cost(node)).sum(), None)
            }
        };
        let mut part = Part { nodes, weight, chunk, ..Part::default() };
        self.add_callees(&mut part);
        part
    }

    fn add_callees(&self, part: &mut Part) {
        for &node in &part.nodes {
            if let Step::Call(callee) = self.flow.steps[node] {
                part.head = part.head.max(self.callees[callee].head);
                part.tail = part.tail.max(self.callees[callee].tail);
            }
        }
    }

    fn cost(&self, node: usize) -> u64 {
        let own = u64::from(self.flow.costs[node]);
        match self.flow.steps[node] {
            Step::Call(callee) => own.saturating_add(self.callees[callee].through.unwrap_or(0)),
            _ => own,
        }
    }

    /// The longest ways through a component: from its entry, and from the probe of a chunk to its end.
    fn weight(&mut self, bounded: &Bounded) -> (u64, Option<u64>) {
        let rest: Vec<usize> = bounded
            .nodes
            .iter()
            .copied()
            .filter(|node| bounded.counted.binary_search(node).is_err())
            .collect();
        let parts = self.condense(&rest, &bounded.inner);
        let level = self.levels;
        let mut ways = vec![0u64; parts.len()];
        let mut longest = 0;
        for (index, part) in parts.iter().enumerate() {
            let way = ways[index].saturating_add(part.weight);
            longest = longest.max(way);
            for next in part.nodes.iter().flat_map(|&node| &self.flow.graph.successors[node]) {
                if self.level[*next] == level && self.owner[*next] != index {
                    let slot = &mut ways[self.owner[*next]];
                    *slot = way.max(*slot);
                }
            }
        }
        let counted = bounded.counted.iter().map(|&node| self.cost(node)).max().unwrap_or(0);
        // What runs while the stack is unwound is named, not counted.
        let visits = if bounded.is_unwinding() { Visits::same(0) } else { bounded.visits };
        let through =
            |rounds: u64| rounds.saturating_mul(counted.saturating_add(longest)).saturating_add(longest);
        let own = (visits.first < visits.most).then(|| through(visits.most));
        // What begins in a chunk of an inner loop goes on with all rounds of this one.
        let inner = parts.iter().filter_map(|part| part.chunk).max();
        let inner = inner.map(|chunk| chunk.saturating_add(through(visits.most)));
        (through(visits.first), own.max(inner))
    }

    /// Brings parts into topological order and renumbers their nodes' owners.
    fn sort(&mut self, parts: Vec<Part>, level: usize) -> Vec<Part> {
        let mut seen = vec![false; parts.len()];
        let mut order = Vec::with_capacity(parts.len());
        for root in 0..parts.len() {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut path = vec![(root, self.leads_to(&parts[root], level))];
            while let Some((part, successors)) = path.last_mut() {
                let Some(next) = successors.pop() else {
                    order.push(*part);
                    path.pop();
                    continue;
                };
                if !std::mem::replace(&mut seen[next], true) {
                    path.push((next, self.leads_to(&parts[next], level)));
                }
            }
        }
        let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
        let sorted: Vec<Part> = order.iter().rev().filter_map(|&old| parts[old].take()).collect();
        for (index, part) in sorted.iter().enumerate() {
            for &node in &part.nodes {
                self.owner[node] = index;
            }
        }
        sorted
    }

    fn leads_to(&self, part: &Part, level: usize) -> Vec<usize> {
        let successors = part.nodes.iter().flat_map(|&node| &self.flow.graph.successors[node]);
        successors.filter(|&&next| self.level[next] == level).map(|&next| self.owner[next]).collect()
    }
}

/// The walk over the whole function.
struct Measure<'a> {
    flow: &'a Flow,
    callees: &'a [Lengths],
    parts: &'a [Part],
    owner: &'a [usize],
    /// The longest path up to each part, from anywhere and from the entry.
    any: Vec<Option<u64>>,
    entry: Vec<Option<u64>>,
    found: Lengths,
}

impl<'a> Measure<'a> {
    fn new(flow: &'a Flow, callees: &'a [Lengths], parts: &'a [Part], owner: &'a [usize]) -> Self {
        let none = vec![None; parts.len()];
        Self { flow, callees, parts, owner, any: none.clone(), entry: none, found: Lengths::default() }
    }

    fn run(mut self) -> Lengths {
        self.go_to(0, Some(0), Some(0));
        for &pad in &self.flow.pads {
            self.go_to(pad, Some(0), None);
        }
        for node in (0..self.flow.graph.len()).filter(|&node| self.flow.stops(node, self.callees)) {
            let start = match self.flow.steps[node] {
                Step::Call(callee) => self.callees[callee].tail,
                _ => Some(0),
            };
            self.leave(node, start, None);
        }
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            let weight = |way: u64| way.saturating_add(part.weight);
            let reach = |way: Option<u64>| way.map_or(0, |way| weight(way).saturating_add(part.head));
            self.found.longest = self.found.longest.max(reach(self.any[index]));
            self.found.head = self.found.head.max(reach(self.entry[index]));
            let any = self.any[index].map(weight).max(part.tail.map(weight)).max(part.chunk);
            self.found.longest = self.found.longest.max(part.chunk.unwrap_or(0).saturating_add(part.head));
            let entry = self.entry[index].map(weight);
            for &node in &part.nodes {
                self.leave(node, any, entry);
            }
        }
        self.found
    }

    /// Follows the edges of `node`, behind which the paths are this long.
    fn leave(&mut self, node: usize, any: Option<u64>, entry: Option<u64>) {
        self.end(any, entry);
        let flow = self.flow;
        if flow.returns[node] {
            self.found.tail = self.found.tail.max(any);
            self.found.through = self.found.through.max(entry);
        }
        for &next in &flow.graph.successors[node] {
            self.go_to(next, any, entry);
        }
    }

    fn go_to(&mut self, node: usize, any: Option<u64>, entry: Option<u64>) {
        if self.flow.stops(node, self.callees) {
            let head = match self.flow.steps[node] {
                Step::Call(callee) => self.callees[callee].head,
                _ => 0,
            };
            let own = u64::from(self.flow.costs[node]).saturating_add(head);
            self.end(any.map(|way| way.saturating_add(own)), entry.map(|way| way.saturating_add(own)));
            return;
        }
        let part = self.owner[node];
        self.any[part] = self.any[part].max(any);
        self.entry[part] = self.entry[part].max(entry);
    }

    fn end(&mut self, any: Option<u64>, entry: Option<u64>) {
        self.found.longest = self.found.longest.max(any.unwrap_or(0));
        self.found.head = self.found.head.max(entry.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests;
