//! Cycles of plain graphs: which of them no probe and no bound stops.
//!
//! A closed walk without a probe stays within one strongly connected component of the graph without its probes. Such
//! a component is taken apart from outside to inside: when a bound says how often a walk that stays in the component
//! comes through some of its nodes, those nodes are taken out, and what still has cycles must have a bound of its own.
//! A component that nothing can be taken out of has a closed walk without end, and is the witness of it.
//!
//! Each level of nesting costs one walk over its nodes.

use crate::cfg::{Graph, Parts};

/// How often a walk that stays in a component comes to the nodes that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visits {
    /// At most, from wherever it begins.
    pub most: u64,
    /// At most, when it does not begin at the component's own probe: a loop that runs in chunks has a shorter first
    /// one.
    pub first: u64,
}

impl Visits {
    /// As often in the first chunk as in the others.
    pub fn same(most: u64) -> Self {
        Self { most, first: most }
    }
}

/// A component with a bound, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// Its nodes, sorted.
    pub nodes: Vec<usize>,
    /// Those that the bound is about, sorted.
    pub counted: Vec<usize>,
    /// How often a walk that stays inside comes to one of them.
    pub visits: Visits,
    /// The components among the rest.
    pub inner: Vec<Component>,
}

impl Bounded {
    /// Whether it runs only while the stack is unwound.
    pub fn is_unwinding(&self) -> bool {
        self.visits.most >= u64::from(super::ir::UNWINDING)
    }
}

/// A strongly connected component with a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Component {
    /// Every walk in it ends.
    Bounded(Bounded),
    /// Nothing says that a walk in it ends; the nodes, sorted.
    Endless(Vec<usize>),
}

/// What a bound takes out of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The nodes that it is about; not empty.
    pub counted: Vec<usize>,
    /// How often a walk that stays inside comes to one of them.
    pub visits: Visits,
}

/// The components of `graph` within `nodes`, in which nodes with probes are left out. `cut` is asked for the bound
/// of each component, given its nodes.
pub fn components(
    graph: &Graph,
    nodes: Vec<usize>,
    cut: &mut impl FnMut(&[usize]) -> Option<Cut>,
) -> Vec<Component> {
    take_apart(&mut Parts::new(graph), nodes, cut)
}

/// The nodes of the endless components, each list a witness.
pub fn endless(components: &[Component]) -> Vec<&[usize]> {
    let mut found = Vec::new();
    let mut open: Vec<&Component> = components.iter().collect();
    while let Some(component) = open.pop() {
        match component {
            Component::Endless(nodes) => found.push(nodes.as_slice()),
            Component::Bounded(bounded) => open.extend(&bounded.inner),
        }
    }
    found.sort_unstable();
    found
}

fn take_apart(
    parts: &mut Parts<'_>,
    nodes: Vec<usize>,
    cut: &mut impl FnMut(&[usize]) -> Option<Cut>,
) -> Vec<Component> {
    let mut found = Vec::new();
    for mut nodes in parts.cycles(&nodes) {
        nodes.sort_unstable();
        let Some(Cut { mut counted, visits }) = cut(&nodes) else {
            found.push(Component::Endless(nodes));
            continue;
        };
        counted.sort_unstable();
        let rest: Vec<usize> =
            nodes.iter().copied().filter(|node| counted.binary_search(node).is_err()).collect();
        debug_assert!(rest.len() < nodes.len(), "a cut takes something out");
        let inner = take_apart(parts, rest, cut);
        found.push(Component::Bounded(Bounded { nodes, counted, visits, inner }));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph {
        Graph { successors: successors.iter().map(|list| list.to_vec()).collect() }
    }

    fn all(graph: &Graph) -> Vec<usize> {
        (0..graph.len()).collect()
    }

    #[test]
    fn a_bound_of_the_inner_loop_says_nothing_of_the_outer() {
        // 0 -> 1 (outer) -> 2 (inner, on itself) -> 1 or 3.
        let nest = graph(&[&[1], &[2], &[2, 1, 3], &[]]);
        let mut inner_alone =
            |nodes: &[usize]| (nodes == [2]).then(|| Cut { counted: vec![2], visits: Visits::same(4) });
        let found = components(&nest, all(&nest), &mut inner_alone);
        assert_eq!(endless(&found), [[1, 2]]);
        let mut both = |nodes: &[usize]| Some(Cut { counted: vec![nodes[0]], visits: Visits::same(4) });
        let found = components(&nest, all(&nest), &mut both);
        assert_eq!(endless(&found), [[0; 0]; 0]);
        let [Component::Bounded(outer)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((outer.nodes.as_slice(), outer.inner.len()), ([1, 2].as_slice(), 1));
    }

    #[test]
    fn callees_come_before_their_callers() {
        let calls = graph(&[&[1, 2], &[2], &[3], &[2]]);
        let mut order = calls.components();
        order.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(order, [vec![2, 3], vec![1], vec![0]]);
    }

    fn random() -> impl Strategy<Value = (Graph, Vec<bool>, Vec<bool>)> {
        (1usize..10).prop_flat_map(|nodes| {
            let lists = proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes);
            let flags = || proptest::collection::vec(any::<bool>(), nodes);
            (lists.prop_map(|successors| Graph { successors }), flags(), flags())
        })
    }

    /// Whether a walk from `from` along nodes of `inside` comes back to it.
    fn comes_back(graph: &Graph, from: usize, inside: &[bool]) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for &next in &graph.successors[node] {
                if next == from {
                    return true;
                }
                if inside[next] && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        false
    }

    proptest! {
        /// With bounds that hold wherever they stand, a node is in a witness exactly when it lies on a cycle that
        /// has neither a probe nor such a bound.
        #[test]
        fn witnesses_are_the_cycles_without_probe_and_bound((graph, probes, bounds) in random()) {
            let nodes = (0..graph.len()).filter(|&node| !probes[node]).collect();
            let mut cut = |nodes: &[usize]| {
                let counted: Vec<usize> = nodes.iter().copied().filter(|&node| bounds[node]).collect();
                (!counted.is_empty()).then_some(Cut { counted, visits: Visits::same(1) })
            };
            let found = components(&graph, nodes, &mut cut);
            let witnesses: Vec<usize> = endless(&found).concat();
            let free: Vec<bool> = (0..graph.len()).map(|node| !probes[node] && !bounds[node]).collect();
            for node in 0..graph.len() {
                let is_endless = free[node] && comes_back(&graph, node, &free);
                prop_assert_eq!(witnesses.contains(&node), is_endless, "{} of {:?}", node, graph);
            }
        }

        #[test]
        fn an_order_from_below_has_every_node_once((graph, _, _) in random()) {
            let order = graph.components();
            let mut place = vec![usize::MAX; graph.len()];
            for (at, component) in order.iter().enumerate() {
                for &node in component {
                    prop_assert_eq!(place[node], usize::MAX);
                    place[node] = at;
                }
            }
            for (node, successors) in graph.successors.iter().enumerate() {
                prop_assert!(successors.iter().all(|&next| place[next] <= place[node]));
            }
        }
    }
}
