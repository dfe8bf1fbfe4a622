//! Graph algorithms on plain indices: loops of a control-flow graph, cycles of a call graph.

/// A directed graph; node 0 is the entry of a control-flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// For each node the nodes that it leads to, in order; repeats are allowed.
    pub successors: Vec<Vec<usize>>,
}

/// An edge that closes a cycle: from the end of a loop's body to its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackEdge {
    /// The node that jumps back.
    pub latch: usize,
    /// The node that it jumps to.
    pub header: usize,
}

impl Graph {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The edges that a depth-first walk from node 0 finds leading to a node still open, each once, sorted.
    ///
    /// Every cycle that is reachable from node 0 holds at least one of them, irreducible ones too; in a
    /// reducible graph they are exactly the back edges of its natural loops.
    pub fn back_edges(&self) -> Vec<BackEdge> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut edges = Vec::new();
        if self.is_empty() {
            return edges;
        }
        let mut state = vec![NEW; self.len()];
        let mut path = vec![(0, 0)];
        state[0] = OPEN;
        while let Some((node, next)) = path.last_mut() {
            let Some(&successor) = self.successors[*node].get(*next) else {
                state[*node] = DONE;
                path.pop();
                continue;
            };
            *next += 1;
            match state[successor] {
                NEW => {
                    state[successor] = OPEN;
                    path.push((successor, 0));
                }
                OPEN => edges.push(BackEdge { latch: *node, header: successor }),
                _ => {}
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The nodes of the loop that `edge` closes: all that reach the latch without passing the header.
    pub fn loop_body(&self, edge: BackEdge) -> Vec<usize> {
        let predecessors = self.predecessors();
        let mut inside = vec![false; self.len()];
        inside[edge.header] = true;
        let mut open = vec![edge.latch];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut inside[node], true) {
                open.extend(&predecessors[node]);
            }
        }
        (0..self.len()).filter(|&node| inside[node]).collect()
    }

    /// For each node the nodes that lead to it.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.len()];
        for (node, successors) in self.successors.iter().enumerate() {
            for &successor in successors {
                predecessors[successor].push(node);
            }
        }
        predecessors
    }

    /// For each node whether it lies on a cycle.
    pub fn on_cycle(&self) -> Vec<bool> {
        let mut on_cycle = vec![false; self.len()];
        for component in self.components().iter().filter(|component| self.is_cycle(component)) {
            for &node in component {
                on_cycle[node] = true;
            }
        }
        on_cycle
    }

    /// The strongly connected components, single nodes included, each before those that lead to it.
    pub fn components(&self) -> Vec<Vec<usize>> {
        Parts::new(self).components(&(0..self.len()).collect::<Vec<_>>())
    }

    /// The nodes that a walk from `roots` comes to; it goes into nodes of which `is_end` holds, but not beyond.
    pub fn reached(&self, roots: &[usize], is_end: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut open = roots.to_vec();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) && !is_end(node) {
                open.extend(&self.successors[node]);
            }
        }
        seen
    }

    /// Whether `component` is more than one node that does not lead to itself.
    pub fn is_cycle(&self, component: &[usize]) -> bool {
        component.len() > 1 || component.iter().any(|node| self.successors[*node].contains(node))
    }
}

/// Strongly connected components of parts of a graph; the scratch space is shared by all parts.
pub struct Parts<'graph> {
    graph: &'graph Graph,
    /// The part that a node belongs to now.
    region: Vec<u32>,
    last_region: u32,
    index: Vec<u32>,
    low: Vec<u32>,
    is_stacked: Vec<bool>,
}

impl<'graph> Parts<'graph> {
    const UNSEEN: u32 = u32::MAX;

    /// Nothing is walked yet.
    pub fn new(graph: &'graph Graph) -> Self {
        let nodes = graph.len();
        Self {
            graph,
            region: vec![0; nodes],
            last_region: 0,
            index: vec![Self::UNSEEN; nodes],
            low: vec![0; nodes],
            is_stacked: vec![false; nodes],
        }
    }

    /// The components of `nodes` and the edges among them, each before those that lead to it (Tarjan, iterative).
    pub fn components(&mut self, nodes: &[usize]) -> Vec<Vec<usize>> {
        self.last_region += 1;
        for &node in nodes {
            self.region[node] = self.last_region;
            self.index[node] = Self::UNSEEN;
        }
        let mut walk = Walk { next_index: 0, stack: Vec::new(), found: Vec::new() };
        for &root in nodes {
            if self.index[root] == Self::UNSEEN {
                self.visit(root, &mut walk);
            }
        }
        walk.found
    }

    /// Those of them that hold a cycle.
    pub fn cycles(&mut self, nodes: &[usize]) -> Vec<Vec<usize>> {
        let mut found = self.components(nodes);
        found.retain(|component| self.graph.is_cycle(component));
        found
    }

    fn open(&mut self, node: usize, walk: &mut Walk) {
        self.index[node] = walk.next_index;
        self.low[node] = walk.next_index;
        walk.next_index += 1;
        walk.stack.push(node);
        self.is_stacked[node] = true;
    }

    fn visit(&mut self, root: usize, walk: &mut Walk) {
        let graph = self.graph;
        let region = self.region[root];
        self.open(root, walk);
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if let Some(&successor) = graph.successors[node].get(*next) {
                *next += 1;
                if self.region[successor] != region {
                    continue;
                }
                if self.index[successor] == Self::UNSEEN {
                    self.open(successor, walk);
                    path.push((successor, 0));
                } else if self.is_stacked[successor] {
                    self.low[node] = self.low[node].min(self.index[successor]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                let start = walk.stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = walk.stack.split_off(start);
                for &member in &component {
                    self.is_stacked[member] = false;
                }
                walk.found.push(component);
            }
        }
    }
}

struct Walk {
    next_index: u32,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph {
        Graph { successors: successors.iter().map(|list| list.to_vec()).collect() }
    }

    #[test]
    fn a_nest_has_one_back_edge_per_loop() {
        // 0 -> 1 (outer header) -> 2 (inner, loops on itself) -> 3 -> 1 or 4.
        let nest = graph(&[&[1], &[2], &[2, 3], &[1, 4], &[]]);
        let edges = nest.back_edges();
        assert_eq!(edges, [BackEdge { latch: 2, header: 2 }, BackEdge { latch: 3, header: 1 }]);
        assert_eq!(nest.loop_body(edges[0]), [2]);
        assert_eq!(nest.loop_body(edges[1]), [1, 2, 3]);
        assert_eq!(nest.on_cycle(), [false, true, true, true, false]);
    }

    fn random_graph() -> impl Strategy<Value = Graph> {
        (1usize..12).prop_flat_map(|nodes| {
            proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes)
                .prop_map(|successors| Graph { successors })
        })
    }

    /// Whether `node` reaches itself, by a walk that knows nothing of the algorithms above.
    fn reaches_itself(graph: &Graph, node: usize) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut open = graph.successors[node].clone();
        while let Some(next) = open.pop() {
            if next == node {
                return true;
            }
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(&graph.successors[next]);
            }
        }
        false
    }

    fn reachable(graph: &Graph) -> Vec<bool> {
        let mut seen = vec![false; graph.len()];
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(&graph.successors[node]);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn without_its_back_edges_the_reachable_graph_has_no_cycle(graph in random_graph()) {
            let edges = graph.back_edges();
            let mut cut = graph.clone();
            for (node, successors) in cut.successors.iter_mut().enumerate() {
                successors.retain(|&successor| !edges.contains(&BackEdge { latch: node, header: successor }));
            }
            let seen = reachable(&graph);
            for node in (0..graph.len()).filter(|&node| seen[node]) {
                prop_assert!(!reaches_itself(&cut, node), "{node} of {graph:?}");
            }
        }

        #[test]
        fn nodes_on_cycles_are_those_that_reach_themselves(graph in random_graph()) {
            let on_cycle = graph.on_cycle();
            for (node, &is_on_cycle) in on_cycle.iter().enumerate() {
                prop_assert_eq!(is_on_cycle, reaches_itself(&graph, node));
            }
        }
    }
}
