//! Where probes go, decided on plain graphs.
//!
//! Invariants of a [`Plan`]:
//! (1) Without the blocks that hold a site (of one that ends in a call which may unwind, the way back from
//!     the call), the control-flow graph has no cycle that is reachable from the entry.
//! (2) Every function that lies on a cycle of the call graph has a site at its entry.
//! (3) A call of long code without probes is followed by a site.
//! (4) The same input gives the same plan.

use crate::cfg::{BackEdge, Graph};

/// A function, as far as placement looks at it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Its blocks; entry first.
    pub blocks: Graph,
    /// Instructions of each block.
    pub costs: Vec<u32>,
    /// For each block the number of its calls of code without probes that may run for long.
    pub long_calls: Vec<usize>,
    /// For each block whose only long call ends it and may unwind: where to. A probe behind the call is not
    /// on that way.
    pub unwinds_to: Vec<Option<usize>>,
    /// For each block whether it calls anything at all.
    pub has_call: Vec<bool>,
    /// Whether the function lies on a cycle of the call graph.
    pub is_recursive: bool,
}

/// A place for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// At the function's entry.
    Entry,
    /// Before the jump at the end of this block, which closes a loop.
    Latch(usize),
    /// After the n-th long call of this block.
    AfterCall(usize, usize),
}

/// The places for one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In block order, entry first.
    pub sites: Vec<Site>,
    /// Loops of the function: headers of back edges.
    pub loops: usize,
}

/// Places the probes of one function.
pub fn plan(shape: &Shape) -> Plan {
    let edges = shape.blocks.back_edges();
    let mut sites = Vec::new();
    if shape.is_recursive {
        sites.push(Site::Entry);
    }
    for block in 0..shape.blocks.len() {
        let calls = shape.long_calls.get(block).copied().unwrap_or(0);
        sites.extend((0..calls).map(|call| Site::AfterCall(block, call)));
        // A latch that is probed after a call needs no second probe: invariant (1) holds by the first, unless
        // the way back is that of unwinding.
        let is_open = |header| calls == 0 || shape.unwinds_to.get(block) == Some(&Some(header));
        if edges.iter().any(|edge| edge.latch == block && is_open(edge.header)) {
            sites.push(Site::Latch(block));
        }
    }
    Plan { sites, loops: headers(&edges).len() }
}

/// Distinct headers of `edges`.
pub fn headers(edges: &[BackEdge]) -> Vec<usize> {
    let mut headers: Vec<_> = edges.iter().map(|edge| edge.header).collect();
    headers.sort_unstable();
    headers.dedup();
    headers
}

/// Instructions that an unrolled body may have.
const UNROLLED_BODY: u32 = 100;
/// Copies of a body at most.
const MOST_COPIES: u32 = 8;

/// Innermost loops with small bodies, each with the number of copies that spreads its probe.
///
/// Every copy keeps its exit test, so any trip count stays right; loops with calls gain nothing.
pub fn unrollings(shape: &Shape) -> Vec<(BackEdge, u32)> {
    let edges = shape.blocks.back_edges();
    let headers = headers(&edges);
    let mut unrollings = Vec::new();
    for &edge in &edges {
        let body = shape.blocks.loop_body(edge);
        let has_one_latch = edges.iter().filter(|other| other.header == edge.header).count() == 1;
        let is_innermost = body.iter().all(|block| *block == edge.header || !headers.contains(block));
        let cost: u32 = body.iter().map(|&block| shape.costs[block]).sum();
        let copies = (UNROLLED_BODY / cost.max(1)).min(MOST_COPIES);
        if has_one_latch && is_innermost && copies > 1 && !body.iter().any(|&block| shape.has_call[block]) {
            unrollings.push((edge, copies));
        }
    }
    unrollings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shape(successors: &[&[usize]], calls: &[usize]) -> Shape {
        let blocks = Graph { successors: successors.iter().map(|list| list.to_vec()).collect() };
        Shape {
            costs: vec![10; blocks.len()],
            has_call: calls.iter().map(|&count| count > 0).collect(),
            long_calls: calls.to_vec(),
            unwinds_to: vec![None; blocks.len()],
            blocks,
            is_recursive: false,
        }
    }

    #[test]
    fn loops_calls_and_recursion_get_their_sites() {
        let mut nest = shape(&[&[1], &[1, 2], &[0, 3], &[]], &[0, 0, 0, 2]);
        nest.is_recursive = true;
        let plan = plan(&nest);
        assert_eq!(plan.loops, 2);
        assert_eq!(
            plan.sites,
            [Site::Entry, Site::Latch(1), Site::Latch(2), Site::AfterCall(3, 0), Site::AfterCall(3, 1)]
        );
    }

    #[test]
    fn a_latch_with_a_call_has_one_probe() {
        assert_eq!(plan(&shape(&[&[0, 1], &[]], &[1, 0])).sites, [Site::AfterCall(0, 0)]);
    }

    #[test]
    fn small_innermost_loops_without_calls_are_unrolled() {
        let nest = shape(&[&[1], &[1, 2], &[0, 3], &[]], &[0, 0, 0, 0]);
        assert_eq!(unrollings(&nest), [(BackEdge { latch: 1, header: 1 }, 8)]);
        assert_eq!(unrollings(&shape(&[&[0, 1], &[]], &[1, 0])), []);
        let mut large = shape(&[&[0, 1], &[]], &[0, 0]);
        large.costs[0] = 60;
        assert_eq!(unrollings(&large), []);
    }

    #[test]
    fn a_loop_closed_by_unwinding_has_a_probe_before_its_call() {
        let mut retry = shape(&[&[1], &[2, 1], &[]], &[0, 1, 0]);
        retry.unwinds_to[1] = Some(1);
        assert_eq!(plan(&retry).sites, [Site::AfterCall(1, 0), Site::Latch(1)]);
    }

    /// Where the second successor of a block with one long call and two ways on is that of unwinding.
    fn unwinding(shape: &Shape) -> Vec<Option<usize>> {
        let blocks = shape.blocks.successors.iter().zip(&shape.long_calls);
        blocks.map(|(ways, &calls)| (calls == 1 && ways.len() == 2).then(|| ways[1])).collect()
    }

    fn random_shape() -> impl Strategy<Value = Shape> {
        (1usize..10).prop_flat_map(|nodes| {
            let successors = proptest::collection::vec(proptest::collection::vec(0..nodes, 0..4), nodes);
            let calls = proptest::collection::vec(0usize..3, nodes);
            (successors, calls).prop_map(|(successors, calls)| {
                let lists: Vec<&[usize]> = successors.iter().map(Vec::as_slice).collect();
                let mut shape = shape(&lists, &calls);
                shape.unwinds_to = unwinding(&shape);
                shape
            })
        })
    }

    proptest! {
        #[test]
        fn every_cycle_meets_a_site(shape in random_shape()) {
            let plan = plan(&shape);
            let mut cut = shape.blocks.clone();
            for site in &plan.sites {
                match *site {
                    Site::Entry => {}
                    Site::Latch(block) => cut.successors[block].clear(),
                    Site::AfterCall(block, _) => {
                        let unwinds_to = shape.unwinds_to[block];
                        cut.successors[block].retain(|&next| Some(next) == unwinds_to);
                    }
                }
            }
            prop_assert!(cut.back_edges().is_empty(), "{plan:?}");
            prop_assert_eq!(plan, super::plan(&shape));
        }
    }
}
