//! Heaps over the requests of one table: the least key first.

use super::Item;
use crate::sys::clock::{Ticks, Tsc};

/// Service, and of two with equally much the one that came first.
pub(super) type Key = (Ticks, u64);

const NONE: u32 = u32::MAX;

/// The requests of several heaps, by slot; made before the run.
#[derive(Debug)]
pub(super) struct Nodes(Box<[Node]>);

#[derive(Clone, Copy, Debug)]
struct Node {
    item: Item,
    key: Key,
    left: u32,
    right: u32,
}

impl Nodes {
    /// For slots below `capacity`.
    pub(super) fn new(capacity: usize) -> Self {
        let item =
            Item { slot: 0, class: Default::default(), arrival: Tsc(0), received: Ticks(0), pinned: None };
        Self(vec![Node { item, key: (Ticks(0), 0), left: NONE, right: NONE }; capacity].into())
    }

    fn key(&self, slot: u32) -> Key {
        self.0[slot as usize].key
    }

    /// Merges two skew heaps (Sleator, Tarjan, 1986) from the top down: each step takes the lesser root, swaps its
    /// children, and goes on with the one that was on the right.
    fn merge(&mut self, mut a: u32, mut b: u32) -> u32 {
        let mut root = NONE;
        let mut parent = NONE;
        while a != NONE || b != NONE {
            if a == NONE || (b != NONE && self.key(b) < self.key(a)) {
                std::mem::swap(&mut a, &mut b);
            }
            match parent {
                NONE => root = a,
                _ => self.0[parent as usize].left = a,
            }
            if b == NONE {
                break;
            }
            let node = &mut self.0[a as usize];
            let right = std::mem::replace(&mut node.right, node.left);
            (parent, a) = (a, right);
        }
        root
    }
}

/// A heap; adding and taking out are logarithmic on average over a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heap {
    root: u32,
}

impl Heap {
    pub(super) const EMPTY: Heap = Heap { root: NONE };

    pub(super) fn is_empty(&self) -> bool {
        self.root == NONE
    }

    pub(super) fn push(&mut self, nodes: &mut Nodes, key: Key, item: Item) {
        nodes.0[item.slot as usize] = Node { item, key, left: NONE, right: NONE };
        self.root = nodes.merge(self.root, item.slot);
    }

    /// The least key.
    pub(super) fn least(&self, nodes: &Nodes) -> Option<Key> {
        (self.root != NONE).then(|| nodes.key(self.root))
    }

    pub(super) fn pop(&mut self, nodes: &mut Nodes) -> Option<Item> {
        let node = *nodes.0.get(self.root as usize)?;
        self.root = nodes.merge(node.left, node.right);
        Some(node.item)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::item;
    use super::*;

    proptest! {
        #[test]
        fn a_heap_gives_back_what_it_got_in_order(keys in prop::collection::vec(0_u64..20, 0..60), pops in 0_usize..40) {
            let mut nodes = Nodes::new(60);
            let (mut heap, mut other) = (Heap::EMPTY, Heap::EMPTY);
            let mut expected = Vec::new();
            for (index, &key) in keys.iter().enumerate() {
                let (item, key) = (item(index as u32, None), (Ticks(key), index as u64));
                if key.0.0 % 5 == 4 {
                    other.push(&mut nodes, key, item);
                } else {
                    heap.push(&mut nodes, key, item);
                    expected.push(key);
                }
            }
            expected.sort_unstable();
            for key in expected.into_iter().take(pops) {
                prop_assert_eq!(heap.least(&nodes), Some(key));
                prop_assert_eq!(heap.pop(&mut nodes).map(|item| u64::from(item.slot)), Some(key.1));
            }
        }
    }
}
