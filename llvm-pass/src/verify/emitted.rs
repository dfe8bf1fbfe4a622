//! A decoded function made small: its instructions run together, its own loops taken out.

use super::own_loops::is_own_loop;
use super::paths::{Flow, Step};
use super::reader::{Call, Ending, Listing};
use crate::cfg::Graph;

/// A function of the object.
#[derive(Clone, Debug, Default)]
pub struct Emitted {
    /// Its symbol.
    pub symbol: String,
    /// Runs of instructions; a probe and a call are runs of their own.
    pub flow: Flow,
    /// The first instruction of each run.
    pub starts: Vec<usize>,
    /// Distance of each run from the function's beginning.
    pub offsets: Vec<u64>,
    /// For each run the numbers of the labels on it.
    pub labels: Vec<Vec<usize>>,
    /// The decoded functions that it calls, with the runs.
    pub callees: Vec<(usize, usize)>,
    /// Symbols that it calls and that were not decoded, sorted.
    pub external: Vec<String>,
    /// Whether it calls through pointers.
    pub calls_pointers: bool,
    /// Whether a guard begins in it.
    pub has_guard: bool,
    /// Whether it has a string instruction, whose length a register says.
    pub has_string: bool,
}

impl Emitted {
    /// Makes it of a listing; `index_of` finds the decoded functions by their symbols.
    pub fn of(listing: &Listing, index_of: impl Fn(&str) -> Option<usize>) -> Self {
        let mut emitted = Self {
            symbol: listing.symbol.clone(),
            has_guard: !listing.guards.is_empty(),
            has_string: listing
                .instructions
                .iter()
                .any(|step| step.has_rep_prefix() && step.is_string_instruction()),
            ..Self::default()
        };
        let flow = without_own_loops(listing);
        let node_of = emitted.divide(listing, &flow);
        for (node, &start) in emitted.starts.iter().enumerate() {
            let end = emitted.starts.get(node + 1).copied().unwrap_or(listing.instructions.len());
            let mut successors: Vec<usize> = flow.successors[end - 1].iter().map(|&at| node_of[at]).collect();
            successors.sort_unstable();
            successors.dedup();
            emitted.flow.graph.successors.push(successors);
            emitted.flow.costs.push((end - start) as u32);
            emitted.flow.steps.push(Step::Plain);
            let last = &listing.instructions[end - 1];
            emitted.flow.returns.push(last.flow_control() == iced_x86::FlowControl::Return);
        }
        for &probe in &listing.probes {
            emitted.flow.steps[node_of[probe]] = Step::Probe;
        }
        for call in &listing.calls {
            emitted.add_call(node_of[call.at], call, &index_of);
        }
        emitted.labels = vec![Vec::new(); emitted.starts.len()];
        for &(at, number) in &listing.labels {
            emitted.labels[node_of[at]].push(number);
        }
        emitted.external.sort_unstable();
        emitted.external.dedup();
        emitted.flow.pads = emitted.pads();
        emitted
    }

    /// Divides the instructions into runs; returns the run of each.
    fn divide(&mut self, listing: &Listing, flow: &Graph) -> Vec<usize> {
        let count = listing.instructions.len();
        let mut begins = vec![false; count + 1];
        begins[0] = true;
        for (at, successors) in flow.successors.iter().enumerate() {
            if successors.as_slice() != [at + 1] {
                begins[at + 1] = true;
                for &next in successors {
                    begins[next] = true;
                }
            }
        }
        let alone = listing.probes.iter().copied().chain(listing.calls.iter().map(|call| call.at));
        for at in alone {
            (begins[at], begins[at + 1]) = (true, true);
        }
        for &(at, _) in &listing.labels {
            begins[at] = true;
        }
        let mut node_of = Vec::with_capacity(count);
        for (at, &begins) in begins[..count].iter().enumerate() {
            if begins {
                self.starts.push(at);
                self.offsets.push(listing.offset(at));
            }
            node_of.push(self.starts.len() - 1);
        }
        node_of
    }

    fn add_call(&mut self, node: usize, call: &Call, index_of: &impl Fn(&str) -> Option<usize>) {
        if matches!(call.ending, Ending::Leaves | Ending::LeavesOnCondition) {
            self.flow.returns[node] = true;
        }
        let Some(callee) = &call.callee else {
            self.calls_pointers = true;
            return;
        };
        match index_of(callee) {
            None => self.external.push(callee.clone()),
            Some(index) => {
                if call.ending != Ending::Diverges {
                    self.callees.push((node, index));
                }
                // A jump that may not be taken passes no probe of its target's.
                if call.ending != Ending::LeavesOnCondition {
                    self.flow.steps[node] = Step::Call(index);
                }
            }
        }
    }

    fn pads(&self) -> Vec<usize> {
        let mut is_entered = vec![false; self.starts.len()];
        for &next in self.flow.graph.successors.iter().flatten() {
            is_entered[next] = true;
        }
        (1..self.starts.len()).filter(|&node| !is_entered[node]).collect()
    }
}

fn without_own_loops(listing: &Listing) -> Graph {
    let mut flow = listing.flow.clone();
    for (at, successors) in flow.successors.iter_mut().enumerate() {
        successors.retain(|&next| next > at || !is_own_loop(&listing.instructions, at, next));
    }
    flow
}
