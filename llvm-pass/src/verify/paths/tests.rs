//! Lengths of small flows, and of random ones against all their paths.

use proptest::prelude::*;

use super::*;
use crate::verify::cycles::{Cut, components};

fn flow(successors: &[&[usize]], costs: &[u32], probes: &[usize]) -> Flow {
    let steps = (0..costs.len()).map(|node| if probes.contains(&node) { Step::Probe } else { Step::Plain });
    Flow {
        graph: Graph { successors: successors.iter().map(|list| list.to_vec()).collect() },
        costs: costs.to_vec(),
        steps: steps.collect(),
        returns: successors.iter().map(|list| list.is_empty()).collect(),
        pads: Vec::new(),
    }
}

fn measured(flow: &Flow, callees: &[Lengths], visits: Visits) -> Lengths {
    let mut cut = |nodes: &[usize]| Some(Cut { counted: vec![nodes[0]], visits });
    let components = components(&flow.graph, flow.unstopped(callees), &mut cut);
    measure(flow, &components, callees)
}

#[test]
fn a_probe_parts_paths() {
    let line = flow(&[&[1], &[2], &[]], &[10, 1, 20], &[1]);
    assert_eq!(
        measured(&line, &[], Visits::same(0)),
        Lengths { longest: 20, head: 11, tail: Some(20), through: None }
    );
}

#[test]
fn a_loop_that_calls_its_own_function_meets_the_probe_at_its_entry() {
    let mut own = flow(&[&[1], &[2, 3], &[1], &[]], &[1, 1, 1, 1], &[0]);
    own.steps[2] = Step::Call(0);
    assert_eq!(own.unstopped(&[own.unmeasured(&[UNKNOWN])]), [1, 3]);
    own.steps[0] = Step::Plain;
    assert_eq!(own.unstopped(&[own.unmeasured(&[UNKNOWN])]), [0, 1, 2, 3]);
}

#[test]
fn a_bounded_loop_counts_its_rounds() {
    // 0 -> 1 (header) -> 2 -> 1 or 3.
    let nest = flow(&[&[1], &[2], &[1, 3], &[]], &[1, 2, 3, 4], &[]);
    // Five visits of the header, each followed by one way through the rest, and one before the first.
    assert_eq!(measured(&nest, &[], Visits::same(5)).longest, 1 + (5 * (2 + 3) + 3) + 4);
}

#[test]
fn a_loop_in_chunks_has_a_shorter_first_one() {
    let nest = flow(&[&[1], &[2], &[1, 3], &[]], &[1, 2, 3, 4], &[]);
    let visits = Visits { most: 50, first: 5 };
    let expected = Lengths {
        longest: 50 * (2 + 3) + 3 + 4,
        head: 1 + (5 * (2 + 3) + 3) + 4,
        tail: Some(50 * (2 + 3) + 3 + 4),
        through: Some(1 + (5 * (2 + 3) + 3) + 4),
    };
    assert_eq!(measured(&nest, &[], visits), expected);
}

#[test]
fn calls_bring_their_callees_paths() {
    let mut caller = flow(&[&[1], &[2], &[]], &[10, 1, 20], &[]);
    caller.steps[1] = Step::Call(0);
    let passing = Lengths { longest: 9, head: 7, tail: Some(5), through: Some(3) };
    assert_eq!(
        measured(&caller, &[passing], Visits::same(0)),
        Lengths { longest: 34, head: 34, tail: Some(34), through: Some(34) }
    );
    let probing = Lengths { longest: 90, head: 7, tail: Some(5), through: None };
    assert_eq!(
        measured(&caller, &[probing], Visits::same(0)),
        Lengths { longest: 25, head: 18, tail: Some(25), through: None }
    );
}

fn random_line() -> impl Strategy<Value = Flow> {
    (2usize..9).prop_flat_map(|nodes| {
        let edges = proptest::collection::vec(proptest::collection::vec(1..nodes, 0..3), nodes);
        let costs = proptest::collection::vec(1u32..9, nodes);
        let probes = proptest::collection::vec(any::<bool>(), nodes);
        (edges, costs, probes).prop_map(move |(edges, costs, probes)| {
            let forward = edges.iter().enumerate().map(|(node, list)| {
                let jumps = list.iter().map(|step| node + step);
                jumps.chain([node + 1]).filter(|next| *next < nodes).collect()
            });
            let forward: Vec<Vec<usize>> = forward.collect();
            Flow {
                graph: Graph { successors: forward.clone() },
                steps: probes.iter().map(|&probe| if probe { Step::Probe } else { Step::Plain }).collect(),
                returns: forward.iter().map(Vec::is_empty).collect(),
                costs,
                pads: Vec::new(),
            }
        })
    })
}

/// All paths from `node` on, given the length so far; the longest piece without a probe.
fn brute(flow: &Flow, node: usize, so_far: u32) -> u32 {
    let here = so_far + flow.costs[node];
    let behind = if flow.steps[node] == Step::Probe { 0 } else { here };
    flow.graph.successors[node].iter().map(|&next| brute(flow, next, behind)).max().unwrap_or(0).max(here)
}

proptest! {
    #[test]
    fn straight_code_is_measured_as_by_trying_all_paths(flow in random_line()) {
        prop_assert_eq!(measured(&flow, &[], Visits::same(0)).longest, u64::from(brute(&flow, 0, 0)));
    }
}
