//! Which nodes of a control-flow graph every way from the entry passes (Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm", 2001).

use crate::cfg::Graph;

const NONE: usize = usize::MAX;

/// The dominator tree of a graph's nodes that are reached from node 0.
pub struct Dominators {
    /// Position in reverse post-order.
    order: Vec<usize>,
    /// When a walk over the tree comes to a node and when it leaves it.
    opened: Vec<usize>,
    closed: Vec<usize>,
    parents: Vec<usize>,
}

impl Dominators {
    /// Computes the tree.
    pub fn of(graph: &Graph) -> Self {
        let sequence = reverse_post_order(graph);
        let mut order = vec![NONE; graph.len()];
        for (position, &node) in sequence.iter().enumerate() {
            order[node] = position;
        }
        let parents = immediate(graph, &sequence, &order);
        let mut children = vec![Vec::new(); graph.len()];
        for &node in sequence.iter().skip(1) {
            children[parents[node]].push(node);
        }
        let (mut opened, mut closed) = (vec![NONE; graph.len()], vec![NONE; graph.len()]);
        let mut clock = 0;
        let mut path: Vec<(usize, usize)> = sequence.first().map(|&root| (root, 0)).into_iter().collect();
        while let Some((node, next)) = path.last_mut() {
            if *next == 0 {
                opened[*node] = clock;
                clock += 1;
            }
            if let Some(&child) = children[*node].get(*next) {
                *next += 1;
                path.push((child, 0));
            } else {
                closed[*node] = clock;
                path.pop();
            }
        }
        Self { order, opened, closed, parents }
    }

    /// Whether `node` is reached from the entry.
    pub fn is_reached(&self, node: usize) -> bool {
        self.order[node] != NONE
    }

    /// Whether every way to `below` passes `above`; a node dominates itself. Both must be reached.
    pub fn dominates(&self, above: usize, below: usize) -> bool {
        self.opened[above] <= self.opened[below] && self.closed[below] <= self.closed[above]
    }

    /// The dominators of a reached node, from itself to the entry.
    pub fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&at| Some(self.parents[at]).filter(|&parent| parent != at))
    }

    /// The node that dominates all of `nodes`, when one of them does.
    pub fn head(&self, nodes: &[usize]) -> Option<usize> {
        let first = nodes.iter().copied().min_by_key(|&node| self.order[node])?;
        nodes.iter().all(|&node| self.dominates(first, node)).then_some(first)
    }
}

fn reverse_post_order(graph: &Graph) -> Vec<usize> {
    let mut sequence = Vec::new();
    if graph.is_empty() {
        return sequence;
    }
    let mut seen = vec![false; graph.len()];
    seen[0] = true;
    let mut path = vec![(0, 0)];
    while let Some((node, next)) = path.last_mut() {
        if let Some(&successor) = graph.successors[*node].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[successor], true) {
                path.push((successor, 0));
            }
        } else {
            sequence.push(*node);
            path.pop();
        }
    }
    sequence.reverse();
    sequence
}

fn immediate(graph: &Graph, sequence: &[usize], order: &[usize]) -> Vec<usize> {
    let predecessors = graph.predecessors();
    let mut parents = vec![NONE; graph.len()];
    if let Some(&root) = sequence.first() {
        parents[root] = root;
    }
    loop {
        let mut has_changed = false;
        for &node in sequence.iter().skip(1) {
            let known = predecessors[node].iter().copied().filter(|&before| parents[before] != NONE);
            let parent = known.reduce(|one, other| meet(&parents, order, one, other)).unwrap_or(NONE);
            has_changed |= std::mem::replace(&mut parents[node], parent) != parent;
        }
        if !has_changed {
            return parents;
        }
    }
}

fn meet(parents: &[usize], order: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        while order[one] > order[other] {
            one = parents[one];
        }
        while order[other] > order[one] {
            other = parents[other];
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn random_graph() -> impl Strategy<Value = Graph> {
        (1usize..12).prop_flat_map(|nodes| {
            proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes)
                .prop_map(|successors| Graph { successors })
        })
    }

    /// Nodes reached from the entry without passing `without`.
    fn reached(graph: &Graph, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; graph.len()];
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if Some(node) != without && !std::mem::replace(&mut seen[node], true) {
                open.extend(&graph.successors[node]);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn a_dominator_cuts_its_nodes_off(graph in random_graph()) {
            let dominators = Dominators::of(&graph);
            let all = reached(&graph, None);
            for above in (0..graph.len()).filter(|&node| all[node]) {
                let rest = reached(&graph, Some(above));
                for below in (0..graph.len()).filter(|&node| all[node]) {
                    prop_assert_eq!(dominators.dominates(above, below), !rest[below], "{} {} {:?}", above, below, graph);
                }
            }
            for node in (0..graph.len()).filter(|&node| all[node]) {
                prop_assert!(dominators.above(node).all(|above| dominators.dominates(above, node)));
                prop_assert_eq!(dominators.above(node).last(), Some(0));
            }
            for (node, &is_reached) in all.iter().enumerate() {
                prop_assert_eq!(dominators.is_reached(node), is_reached);
            }
        }
    }
}
