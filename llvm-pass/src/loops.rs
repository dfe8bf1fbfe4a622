//! The nest of a control-flow graph's loops, irreducible ones included.
//!
//! A loop is a strongly connected set of blocks. Without the edges to its header it falls apart into straight
//! code and the loops inside it, down to no loop at all: so every cycle of the graph takes an edge to the header
//! of some loop here. The header of a set with several entries (irreducible flow) is its first block in the order
//! of a depth-first walk.

use crate::cfg::{Graph, Parts};

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where a round begins.
    pub header: usize,
    /// Blocks of the loop that lead to the header, sorted.
    pub latches: Vec<usize>,
    /// All blocks, those of inner loops included, sorted.
    pub blocks: Vec<usize>,
    /// The blocks that can be entered from outside, sorted; the header alone when the loop is reducible.
    pub entries: Vec<usize>,
    /// The loop around it.
    pub parent: Option<usize>,
}

/// The loops of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forest {
    /// Outer loops come before the loops inside them.
    pub loops: Vec<Loop>,
    /// For each block the innermost loop that holds it.
    pub innermost: Vec<Option<usize>>,
    /// For each block whether it is reachable from block 0.
    pub is_reachable: Vec<bool>,
}

impl Forest {
    /// The loop with this header: no two have the same.
    pub fn of_header(&self, header: usize) -> Option<&Loop> {
        // The loops inside of one do not hold its header.
        let own = &self.loops[self.innermost.get(header).copied().flatten()?];
        (own.header == header).then_some(own)
    }

    /// The loops of `graph`, as seen from its node 0.
    pub fn of(graph: &Graph) -> Self {
        let order = preorder(graph);
        let mut forest = Self {
            loops: Vec::new(),
            innermost: vec![None; graph.len()],
            is_reachable: order.iter().map(|&position| position != usize::MAX).collect(),
        };
        let predecessors = graph.predecessors();
        let mut parts = Parts::new(graph);
        let reachable: Vec<usize> = (0..graph.len()).filter(|&block| forest.is_reachable[block]).collect();
        let mut open = vec![(reachable, None)];
        while let Some((blocks, parent)) = open.pop() {
            for component in parts.cycles(&blocks) {
                let made = forest.add(graph, &predecessors, &order, component, parent);
                // A cycle through the header takes an edge to it: the others are those of the rest.
                let own = &forest.loops[made];
                let rest = own.blocks.iter().copied().filter(|block| *block != own.header).collect();
                open.push((rest, Some(made)));
            }
        }
        forest
    }

    fn add(
        &mut self,
        graph: &Graph,
        predecessors: &[Vec<usize>],
        order: &[usize],
        mut blocks: Vec<usize>,
        parent: Option<usize>,
    ) -> usize {
        blocks.sort_unstable();
        let is_inside = |block: &usize| blocks.binary_search(block).is_ok();
        let is_entered = |block: &usize| {
            *block == 0
                || predecessors[*block].iter().any(|from| order[*from] != usize::MAX && !is_inside(from))
        };
        let mut entries: Vec<usize> = blocks.iter().copied().filter(is_entered).collect();
        // What leads to the outer header was cut: then the set is entered from that header alone, or not at all.
        if entries.is_empty() {
            entries.extend(blocks.iter().copied().min_by_key(|block| order[*block]));
        }
        let header = entries.iter().copied().min_by_key(|block| order[*block]).unwrap_or(0);
        let latches =
            blocks.iter().copied().filter(|block| graph.successors[*block].contains(&header)).collect();
        let made = self.loops.len();
        for &block in &blocks {
            self.innermost[block] = Some(made);
        }
        self.loops.push(Loop { header, latches, blocks, entries, parent });
        made
    }

    /// The loop directly inside `region` (the whole function for `None`) that holds `block`, if any.
    pub fn child(&self, region: Option<usize>, block: usize) -> Option<usize> {
        let mut found = None;
        let mut next = self.innermost[block];
        while next != region {
            found = next;
            next = self.loops[next?].parent;
        }
        found
    }
}

/// For each node its position in a depth-first walk from node 0; `usize::MAX` when it is not reached.
fn preorder(graph: &Graph) -> Vec<usize> {
    let mut order = vec![usize::MAX; graph.len()];
    let mut open = if graph.is_empty() { Vec::new() } else { vec![0] };
    let mut position = 0;
    while let Some(node) = open.pop() {
        if order[node] == usize::MAX {
            order[node] = position;
            position += 1;
            open.extend(graph.successors[node].iter().rev());
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph {
        Graph { successors: successors.iter().map(|list| list.to_vec()).collect() }
    }

    #[test]
    fn a_nest_is_a_loop_in_a_loop() {
        // 0 -> 1 (outer header) -> 2 (inner, loops on itself) -> 3 -> 1 or 4.
        let forest = Forest::of(&graph(&[&[1], &[2], &[2, 3], &[1, 4], &[]]));
        assert_eq!(forest.loops.len(), 2);
        assert_eq!((forest.loops[0].header, &forest.loops[0].latches[..]), (1, &[3][..]));
        assert_eq!((forest.loops[1].header, forest.loops[1].parent), (2, Some(0)));
        assert_eq!(forest.innermost, [None, Some(0), Some(1), Some(0), None]);
        assert_eq!(forest.child(None, 2), Some(0));
        assert_eq!(forest.child(Some(0), 2), Some(1));
        assert_eq!(forest.child(Some(0), 3), None);
    }

    #[test]
    fn irreducible_flow_has_several_entries() {
        let forest = Forest::of(&graph(&[&[1, 2], &[2], &[1, 3], &[]]));
        assert_eq!(forest.loops.len(), 1);
        assert_eq!(forest.loops[0].entries, [1, 2]);
    }

    fn random_graph() -> impl Strategy<Value = Graph> {
        (1usize..14).prop_flat_map(|nodes| {
            proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes)
                .prop_map(|successors| Graph { successors })
        })
    }

    proptest! {
        #[test]
        fn without_the_edges_to_headers_no_cycle_is_left(graph in random_graph()) {
            let forest = Forest::of(&graph);
            let mut cut = graph.clone();
            for (block, successors) in cut.successors.iter_mut().enumerate() {
                let is_latch = |next: &usize| {
                    forest.loops.iter().any(|own| own.header == *next && own.latches.contains(&block))
                };
                successors.retain(|next| forest.is_reachable[block] && !is_latch(next));
            }
            prop_assert!(cut.on_cycle().iter().all(|is_on_cycle| !is_on_cycle), "{forest:?}");
        }

        #[test]
        fn loops_are_nested_and_closed(graph in random_graph()) {
            let forest = Forest::of(&graph);
            for (index, own) in forest.loops.iter().enumerate() {
                prop_assert!(own.entries.contains(&own.header) && !own.latches.is_empty());
                if let Some(parent) = own.parent {
                    prop_assert!(parent < index);
                    let around = &forest.loops[parent];
                    prop_assert!(own.blocks.iter().all(|block| around.blocks.contains(block)));
                    prop_assert!(own.blocks.len() < around.blocks.len() || own.header != around.header);
                }
            }
        }
    }
}
