//! The call graph of the merged module, pointers taken conservatively: a call through a pointer may reach every
//! function of that type whose address is taken; code without bodies is taken to call nothing back.
//!
//! Recursion needs one site on each of its cycles. [`CallGraph`] chooses the functions that get it at their
//! entry, and the order in which the others can be placed with all that they call known.

use std::collections::HashMap;

use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, FunctionValue};

use crate::cfg::{Graph, Parts};
use crate::ffi::{self, Callee};
use crate::{ir, select};

/// The functions of a module and what they call.
pub struct CallGraph<'ctx> {
    functions: Vec<FunctionValue<'ctx>>,
    index: HashMap<usize, usize>,
    /// Nodes behind those of functions: one for each pointer type, between its callers and its targets, so that
    /// edges add, not multiply.
    types: HashMap<usize, usize>,
    graph: Graph,
    has_entry_site: Vec<bool>,
}

/// A node of the call graph, in the order of [`CallGraph::order`].
#[derive(Clone, Copy, Debug)]
pub enum Node<'a, 'ctx> {
    /// A function.
    Function(FunctionValue<'ctx>),
    /// What a pointer may lead to.
    Pointer(&'a [usize]),
}

impl<'ctx> CallGraph<'ctx> {
    /// Reads the module.
    pub fn of(module: &Module<'ctx>) -> Self {
        let functions = ir::definitions(module);
        let index: HashMap<usize, usize> =
            functions.iter().enumerate().map(|(index, function)| (key(*function), index)).collect();
        let mut targets: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut types = HashMap::new();
        for (target, function) in functions.iter().enumerate() {
            if ffi::is_address_taken(*function) {
                let kind = ffi::type_key(*function);
                let node = *types.entry(kind).or_insert_with(|| {
                    targets.push((kind, Vec::new()));
                    functions.len() + targets.len() - 1
                });
                targets[node - functions.len()].1.push(target);
            }
        }
        let mut successors: Vec<Vec<usize>> =
            functions.iter().map(|function| callees(*function, &index, &types)).collect();
        successors.extend(targets.into_iter().map(|(_, targets)| targets));
        let can_hold_site: Vec<bool> = (0..successors.len())
            .map(|node| functions.get(node).is_some_and(|function| select::is_probed(*function)))
            .collect();
        let graph = Graph { successors };
        let has_entry_site = cut_cycles(&graph, &can_hold_site);
        Self { functions, index, types, graph, has_entry_site }
    }

    /// All nodes, each behind what it calls, but for calls of functions with a site at their entry.
    pub fn order(&self) -> Vec<usize> {
        let uncut = |next: &&usize| !self.has_entry_site[**next];
        let successors =
            self.graph.successors.iter().map(|nexts| nexts.iter().filter(uncut).copied().collect()).collect();
        Graph { successors }.components().into_iter().flatten().collect()
    }

    /// What a node stands for.
    pub fn node(&self, node: usize) -> Node<'_, 'ctx> {
        match self.functions.get(node) {
            Some(&function) => Node::Function(function),
            None => Node::Pointer(&self.graph.successors[node]),
        }
    }

    /// The node that `call` leads to; `None` when nothing here is called.
    pub fn target(&self, call: CallSiteValue<'ctx>) -> Option<usize> {
        target(call, &self.index, &self.types)
    }

    /// Whether the function of this node begins with a site.
    pub fn has_entry_site(&self, node: usize) -> bool {
        self.has_entry_site[node]
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.graph.is_empty()
    }
}

/// Nodes without which the graph has no cycle, of those that may hold a site; found greedily: the node that most
/// paths of a cycle's component go through, again and again. Exact answers are NP-hard.
fn cut_cycles(graph: &Graph, can_hold_site: &[bool]) -> Vec<bool> {
    // In large components several nodes are taken at once, so that the work stays near-linear.
    const AT_ONCE: usize = 32;
    let mut is_cut = vec![false; graph.len()];
    let mut parts = Parts::new(graph);
    let mut open: Vec<Vec<usize>> = parts.cycles(&(0..graph.len()).collect::<Vec<_>>());
    while let Some(component) = open.pop() {
        let mut rated = rate(graph, &component, can_hold_site);
        rated.truncate(1 + component.len() / AT_ONCE);
        if rated.is_empty() {
            continue;
        }
        for node in rated {
            is_cut[node] = true;
        }
        let rest: Vec<usize> = component.into_iter().filter(|node| !is_cut[*node]).collect();
        open.extend(parts.cycles(&rest));
    }
    is_cut
}

/// The nodes that may hold a site, best first.
fn rate(graph: &Graph, component: &[usize], can_hold_site: &[bool]) -> Vec<usize> {
    let mut entering: HashMap<usize, usize> = component.iter().map(|node| (*node, 0)).collect();
    let mut leaving = HashMap::new();
    for &node in component {
        let inside = graph.successors[node].iter().filter(|next| entering.contains_key(next)).copied();
        let inside: Vec<usize> = inside.collect();
        leaving.insert(node, inside.len());
        for next in inside {
            *entering.entry(next).or_default() += 1;
        }
    }
    // Who calls himself needs a site in any case.
    let rating = |node: &usize| {
        let calls_itself = graph.successors[*node].contains(node);
        (calls_itself, entering[node] * leaving[node])
    };
    let mut nodes: Vec<usize> = component.iter().copied().filter(|node| can_hold_site[*node]).collect();
    nodes.sort_by_key(|node| (std::cmp::Reverse(rating(node)), *node));
    nodes
}

fn callees(
    function: FunctionValue<'_>,
    index: &HashMap<usize, usize>,
    types: &HashMap<usize, usize>,
) -> Vec<usize> {
    // Calls that never return lead to panics, in which no switch happens, or deeper until the stack ends: no cycle.
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let calls = instructions.filter(|call| !ir::never_returns(*call)).filter_map(ffi::as_call);
    let mut callees: Vec<usize> = calls.filter_map(|call| target(call, index, types)).collect();
    callees.sort_unstable();
    callees.dedup();
    callees
}

fn target(
    call: CallSiteValue<'_>,
    index: &HashMap<usize, usize>,
    types: &HashMap<usize, usize>,
) -> Option<usize> {
    match ffi::callee(call) {
        Callee::Function(callee) => index.get(&key(callee)).copied(),
        Callee::Pointer => types.get(&ffi::called_type_key(call)).copied(),
        Callee::Assembly => None,
    }
}

fn key(function: FunctionValue<'_>) -> usize {
    function.as_value_ref() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_function_of_two_that_call_each_other_is_enough() {
        let graph = Graph { successors: vec![vec![1], vec![2], vec![1], vec![3]] };
        let cut = cut_cycles(&graph, &[true; 4]);
        assert_eq!(cut.iter().filter(|is_cut| **is_cut).count(), 2);
        assert!(cut[3] && (cut[1] || cut[2]));
    }

    proptest! {
        #[test]
        fn what_is_left_has_no_cycle_that_could_hold_a_site(
            successors in (1usize..20).prop_flat_map(|nodes| {
                proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes)
            }),
            holds in proptest::collection::vec(any::<bool>(), 20),
        ) {
            let mut graph = Graph { successors };
            let cut = cut_cycles(&graph, &holds);
            for nexts in &mut graph.successors {
                nexts.retain(|next| !cut[*next]);
            }
            for component in graph.components().iter().filter(|component| graph.is_cycle(component)) {
                prop_assert!(component.iter().all(|node| !holds[*node]));
            }
        }
    }
}
