//! The final module as the checks look at it: no LLVM types.

use concord_job::Place;

use super::cycles::{self, Component, Cut, Visits};
use super::dominators::Dominators;
use super::fault::{Fault, Kind};
use crate::cfg::Graph;

/// What happens in a block, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The line is read.
    Probe,
    /// A call of a function or through a pointer type: a node of the module's call graph.
    Call(usize),
    /// An invoke, which ends its block; its unwind edge leads to the block that follows in the event.
    Invoke(usize, usize),
}

/// A function of the module.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Its symbol.
    pub symbol: String,
    /// Where it begins.
    pub place: Option<Place>,
    /// Whether it was selected for probes.
    pub is_probed: bool,
    /// Its blocks; entry first.
    pub blocks: Graph,
    /// What happens in each.
    pub events: Vec<Vec<Event>>,
    /// Whether each ends in a return.
    pub returns: Vec<bool>,
    /// The first source line of each block.
    pub places: Vec<Option<Place>>,
    /// Latches with a bound: their jump back is taken so often at most for each entry of the loop.
    pub bounds: Vec<(usize, u64)>,
}

/// The functions of a module; behind them in the call graph come the types of pointers that are called.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The functions with bodies.
    pub functions: Vec<Code>,
    /// For each pointer type the functions that it may reach.
    pub pointers: Vec<Vec<usize>>,
}

impl Program {
    /// Everything that is wrong, in the order of the functions; cycles of calls last.
    pub fn faults(&self) -> Vec<Fault> {
        let always = self.always_probing();
        let mut faults: Vec<Fault> = self
            .functions
            .iter()
            .filter(|code| code.is_probed)
            .flat_map(|code| code.faults(&always))
            .collect();
        faults.extend(self.recursion(&always));
        faults
    }

    /// For each probed function the calls, as block and event, without whose probes some cycle would be endless.
    pub fn relied_on(&self) -> Vec<(usize, Vec<(usize, usize)>)> {
        let always = self.always_probing();
        let probed = self.functions.iter().enumerate().filter(|(_, code)| code.is_probed);
        let relied = probed.map(|(index, code)| (index, code.relied_on(&always)));
        relied.filter(|(_, calls)| !calls.is_empty()).collect()
    }

    /// For each node of the call graph whether every way through it from call to return passes a probe.
    ///
    /// Callees come before callers; of a function that can come to call itself this is said by its own probes alone
    /// where a call within the cycle asks for it. Of pointers it is never said: they may lead to code that is not here.
    fn always_probing(&self) -> Vec<bool> {
        let mut graph = Graph { successors: self.functions.iter().map(Code::callees).collect() };
        graph.successors.extend(self.pointers.iter().cloned());
        let order = graph.components().concat();
        let mut always = vec![false; graph.len()];
        // Callees first: only what cycles of calls leave unsaid needs another round.
        loop {
            let mut is_settled = true;
            for &function in &order {
                let Some(code) = self.functions.get(function).filter(|_| !always[function]) else { continue };
                always[function] = code.is_always_probing(&always);
                is_settled &= !always[function];
            }
            if is_settled {
                return always;
            }
        }
    }

    /// Cycles of calls that come from entry to call without a probe all the way round.
    fn recursion(&self, always: &[bool]) -> Vec<Fault> {
        let mut graph =
            Graph { successors: self.functions.iter().map(|code| code.early_calls(always)).collect() };
        graph.successors.extend(self.pointers.iter().cloned());
        let all = (0..graph.len()).collect();
        let components = cycles::components(&graph, all, &mut |_| None);
        let mut faults = Vec::new();
        for members in cycles::endless(&components) {
            let functions = || members.iter().filter_map(|&member| self.functions.get(member));
            if let Some(first) = functions().find(|code| code.is_probed) {
                let names = functions().map(|code| code.symbol.clone()).collect();
                faults.push(first.fault(first.place.clone(), Kind::Recursion(names)));
            }
        }
        faults
    }
}

impl Code {
    fn fault(&self, place: Option<Place>, kind: Kind) -> Fault {
        Fault { function: self.symbol.clone(), place: place.or_else(|| self.place.clone()), kind }
    }

    fn callees(&self) -> Vec<usize> {
        let calls = self.events.iter().flatten().filter_map(|event| match *event {
            Event::Probe => None,
            Event::Call(callee) | Event::Invoke(callee, _) => Some(callee),
        });
        calls.collect()
    }

    /// What is called before a probe.
    fn early_calls(&self, always: &[bool]) -> Vec<usize> {
        let graph = Edges::of(self, always);
        let reached = graph.graph.reached(&[0], |node| graph.is_probe[node]);
        let mut calls = Vec::new();
        for (_, events) in self.events.iter().enumerate().filter(|(block, _)| reached[*block]) {
            for event in events {
                match *event {
                    Event::Probe => break,
                    Event::Invoke(callee, _) => calls.push(callee),
                    Event::Call(callee) => {
                        calls.push(callee);
                        if always[callee] {
                            break;
                        }
                    }
                }
            }
        }
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    fn relied_on(&self, always: &[bool]) -> Vec<(usize, usize)> {
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let events = self.events.iter().enumerate();
        let calls_of = |(block, events): (usize, &Vec<Event>)| {
            let calls = events.iter().enumerate().filter(|(_, event)| match **event {
                Event::Call(callee) | Event::Invoke(callee, _) => always[callee],
                Event::Probe => false,
            });
            calls.map(|(at, _)| (block, at)).collect::<Vec<_>>()
        };
        let covering: Vec<(usize, usize)> = events.flat_map(calls_of).collect();
        if covering.is_empty() {
            return calls;
        }
        let components = Edges::of(self, &vec![false; always.len()]).components();
        for nodes in cycles::endless(&components) {
            calls.extend(covering.iter().filter(|(block, _)| nodes.binary_search(block).is_ok()));
        }
        calls
    }

    fn is_always_probing(&self, always: &[bool]) -> bool {
        let graph = Edges::of(self, always);
        let reached = graph.graph.reached(&[0], |node| graph.is_probe[node]);
        let mut blocks = 0..self.blocks.len();
        self.is_probed && blocks.all(|block| !reached[block] || graph.is_probe[block] || !self.returns[block])
    }

    /// Cycles of blocks without probe and bound.
    pub fn faults(&self, always: &[bool]) -> Vec<Fault> {
        let edges = Edges::of(self, always);
        let components = edges.components();
        let faults = cycles::endless(&components).into_iter().map(|nodes| {
            let kind = match edges.dominators.head(nodes) {
                Some(_) => Kind::Loop,
                None => Kind::Irreducible,
            };
            let blocks = nodes.iter().filter(|&&node| node < self.blocks.len());
            self.fault(blocks.filter_map(|&block| self.places[block].clone()).next(), kind)
        });
        faults.collect()
    }
}

/// The blocks of a function, and behind them nodes on the edges that matter: those that a bound counts, and those
/// that an invoke of code that always meets a probe returns by.
struct Edges {
    graph: Graph,
    is_probe: Vec<bool>,
    /// For each node on a jump back its header and bound.
    bounds: Vec<Option<(usize, u64)>>,
    dominators: Dominators,
}

impl Edges {
    fn of(code: &Code, always: &[bool]) -> Self {
        let dominators = Dominators::of(&code.blocks);
        let mut graph = code.blocks.clone();
        let mut bounds = vec![None; graph.len()];
        let meets_probe = |event: &Event| match *event {
            Event::Probe => true,
            Event::Call(callee) => always[callee],
            Event::Invoke(..) => false,
        };
        let mut is_probe: Vec<bool> =
            code.events.iter().map(|events| events.iter().any(meets_probe)).collect();
        let mut insert = |graph: &mut Graph, from: usize, way: usize, bound, probe| {
            let to = std::mem::replace(&mut graph.successors[from][way], bounds.len());
            graph.successors.push(vec![to]);
            bounds.push(bound);
            is_probe.push(probe);
        };
        for &(latch, bound) in code.bounds.iter().filter(|(latch, _)| dominators.is_reached(*latch)) {
            for way in 0..code.blocks.successors[latch].len() {
                let to = code.blocks.successors[latch][way];
                if dominators.dominates(to, latch) {
                    insert(&mut graph, latch, way, Some((to, bound)), false);
                }
            }
        }
        for (block, events) in code.events.iter().enumerate() {
            let Some(&Event::Invoke(callee, unwind)) = events.last() else { continue };
            for way in 0..code.blocks.successors[block].len() {
                let to = graph.successors[block][way];
                if always[callee] && to != unwind && to < code.blocks.len() {
                    insert(&mut graph, block, way, None, true);
                }
            }
        }
        let dominators = Dominators::of(&graph);
        Self { graph, is_probe, bounds, dominators }
    }

    fn components(&self) -> Vec<Component> {
        let is_open = |node: usize| self.dominators.is_reached(node) && !self.is_probe[node];
        let nodes = (0..self.graph.len()).filter(|&node| is_open(node)).collect();
        cycles::components(&self.graph, nodes, &mut |nodes| self.cut(nodes))
    }

    /// A bound on jumps back to a header holds for the walks that stay in its loop: those of a component that the
    /// header dominates.
    fn cut(&self, nodes: &[usize]) -> Option<Cut> {
        let head = self.dominators.head(nodes)?;
        let bound_of = |node: usize| self.bounds[node].filter(|(header, _)| *header == head);
        let counted: Vec<usize> = nodes.iter().copied().filter(|&node| bound_of(node).is_some()).collect();
        let bounds = counted.iter().filter_map(|&node| bound_of(node));
        let bound = bounds.map(|(_, bound)| bound).sum();
        (!counted.is_empty()).then_some(Cut { counted, visits: Visits::same(bound) })
    }
}
