//! Graphs.

use petgraph::algo;
use petgraph::data::FromElements as _;
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::prelude::DiGraph;

use crate::data::Numbers;
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("petgraph-dijkstra", prepare_dijkstra, 0x14_67f5_f66f),
    Kernel::rust("petgraph-components", prepare_components, 0x59_db7e_ea83),
    Kernel::rust("petgraph-spanning-tree", prepare_spanning_tree, 0x10_eea4),
    Kernel::rust("maze", prepare_maze, 0x2f_2a91),
];

const NODES: u32 = 16_000;

/// Edges `(from, to, weight)`, four from each node.
fn edges() -> Vec<(u32, u32, u32)> {
    let edge = |(index, number): (usize, u64)| {
        (index as u32 / 4, (number >> 8) as u32 % NODES, (number % 255) as u32 + 1)
    };
    Numbers(21).take(4 * NODES as usize).enumerate().map(edge).collect()
}

fn prepare_dijkstra() -> Work {
    let graph = DiGraph::<(), u32>::from_edges(edges());
    Box::new(move || {
        let distances = algo::dijkstra(&graph, NodeIndex::new(0), None, |edge| u64::from(*edge.weight()));
        distances.iter().map(|(node, distance)| distance * (node.index() as u64 + 1)).sum()
    })
}

fn prepare_components() -> Work {
    // One edge of each node only: many components.
    let graph = DiGraph::<(), u32>::from_edges(edges().into_iter().step_by(3));
    Box::new(move || {
        let components = algo::tarjan_scc(&graph);
        let largest = components.iter().map(Vec::len).max().unwrap_or_default();
        let weights = components.iter().enumerate().map(|(index, nodes)| index as u64 * nodes.len() as u64);
        weights.sum::<u64>() * 10_000 + largest as u64
    })
}

fn prepare_spanning_tree() -> Work {
    let graph = UnGraph::<(), u32>::from_edges(edges().into_iter().step_by(2));
    Box::new(move || {
        let tree = UnGraph::<(), u32>::from_elements(algo::min_spanning_tree(&graph));
        tree.edge_references().map(|edge| u64::from(*edge.weight())).sum()
    })
}

/// Breadth-first search through a grid with walls.
fn prepare_maze() -> Work {
    const SIDE: usize = 200;
    let is_wall: Vec<bool> = Numbers(22).take(SIDE * SIDE).map(|number| number % 10 < 3).collect();
    Box::new(move || {
        let mut distance = vec![u32::MAX; SIDE * SIDE];
        let mut queue = std::collections::VecDeque::from([SIDE * SIDE / 2 + SIDE / 2]);
        distance[SIDE * SIDE / 2 + SIDE / 2] = 0;
        while let Some(cell) = queue.pop_front() {
            let (row, column) = (cell / SIDE, cell % SIDE);
            let around = [
                (row > 0).then(|| cell - SIDE),
                (row + 1 < SIDE).then(|| cell + SIDE),
                (column > 0).then(|| cell - 1),
                (column + 1 < SIDE).then(|| cell + 1),
            ];
            for next in around.into_iter().flatten() {
                if !is_wall[next] && distance[next] == u32::MAX {
                    distance[next] = distance[cell] + 1;
                    queue.push_back(next);
                }
            }
        }
        distance.iter().filter(|distance| **distance != u32::MAX).map(|distance| u64::from(*distance)).sum()
    })
}
