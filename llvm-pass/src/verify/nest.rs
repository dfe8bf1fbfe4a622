//! The loops of a control-flow graph and how they lie in each other.

use super::dominators::Dominators;
use crate::cfg::Graph;

/// A loop: all that is between a header and the jumps back to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it begins.
    pub header: usize,
    /// Where it jumps back from, sorted.
    pub latches: Vec<usize>,
    /// The innermost loop around it.
    pub parent: Option<usize>,
    /// Whether control comes in through the header alone.
    pub is_natural: bool,
}

/// The loops of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nest {
    /// In the order of their headers.
    pub loops: Vec<Loop>,
    /// For each node the innermost natural loop that it is in.
    pub innermost: Vec<Option<usize>>,
}

/// The loops of `graph` that are reached from node 0. A cycle with several entries counts as a loop that is not
/// natural, which no loop has for its parent.
pub fn nest(graph: &Graph, dominators: &Dominators) -> Nest {
    let mut loops: Vec<Loop> = Vec::new();
    let mut edges = graph.back_edges();
    edges.sort_unstable_by_key(|edge| (edge.header, edge.latch));
    for edge in edges {
        match loops.last_mut().filter(|last| last.header == edge.header) {
            Some(last) => last.latches.push(edge.latch),
            None => loops.push(Loop {
                header: edge.header,
                latches: vec![edge.latch],
                parent: None,
                is_natural: true,
            }),
        }
    }
    for found in &mut loops {
        found.is_natural = found.latches.iter().all(|&latch| dominators.dominates(found.header, latch));
    }
    let predecessors = graph.predecessors();
    let bodies: Vec<Vec<usize>> = loops.iter().map(|found| body(found, &predecessors, dominators)).collect();
    let mut outside_in: Vec<usize> = (0..loops.len()).collect();
    outside_in.sort_by_key(|&index| std::cmp::Reverse(bodies[index].len()));
    let mut innermost = vec![None; graph.len()];
    for index in outside_in {
        loops[index].parent = innermost[loops[index].header];
        for &node in &bodies[index] {
            innermost[node] = Some(index);
        }
    }
    // One that is not natural has no body, and its header may lie in a loop that was looked at later.
    for found in loops.iter_mut().filter(|found| !found.is_natural) {
        found.parent = innermost[found.header];
    }
    Nest { loops, innermost }
}

/// Empty for a loop that is not natural.
fn body(of: &Loop, predecessors: &[Vec<usize>], dominators: &Dominators) -> Vec<usize> {
    if !of.is_natural {
        return Vec::new();
    }
    let mut inside = std::collections::HashSet::from([of.header]);
    let mut nodes = vec![of.header];
    let mut open = of.latches.clone();
    while let Some(node) = open.pop() {
        if dominators.is_reached(node) && inside.insert(node) {
            nodes.push(node);
            open.extend(&predecessors[node]);
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops_of(successors: &[&[usize]]) -> Vec<Loop> {
        let graph = Graph { successors: successors.iter().map(|list| list.to_vec()).collect() };
        nest(&graph, &Dominators::of(&graph)).loops
    }

    #[test]
    fn a_nest_and_a_cycle_with_two_entries() {
        // 0 -> 1 (outer) -> 2 (inner, on itself) -> 3 -> 1 or 4; 4 -> 5 or 6, which lead to each other.
        let found = loops_of(&[&[1], &[2], &[2, 3], &[1, 4], &[5, 6], &[6], &[5]]);
        let shape: Vec<_> =
            found.iter().map(|found| (found.header, found.parent, found.is_natural)).collect();
        assert_eq!(shape, [(1, None, true), (2, Some(0), true), (5, None, false)]);
    }

    #[test]
    fn two_latches_are_one_loop() {
        let found = loops_of(&[&[1], &[2, 3], &[1], &[1, 4], &[]]);
        assert_eq!(found, [Loop { header: 1, latches: vec![2, 3], parent: None, is_natural: true }]);
    }
}
