//! Heaps over the requests of a table: the least key first.

use super::Item;
use super::requests::{Key, NONE, Requests};
use crate::sys::clock::Tsc;

/// A skew heap (Sleator, Tarjan, 1986): adding and taking out are logarithmic on average over a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heap {
    root: u32,
}

impl Heap {
    pub(super) const EMPTY: Heap = Heap { root: NONE };

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.root == NONE
    }

    pub(super) fn push(&mut self, requests: &mut Requests, key: Key, item: Item, now: Tsc) {
        requests.enter(key, item, now);
        self.root = merge(requests, self.root, item.slot);
    }

    /// The slot of the request with the least key.
    #[inline]
    pub(super) fn first(&self) -> Option<u32> {
        (self.root != NONE).then_some(self.root)
    }

    /// The least key; a key above all others when the heap is empty.
    #[inline]
    pub(super) fn least(&self, requests: &Requests) -> Key {
        self.first().map_or((u64::MAX, u64::MAX), |slot| requests.key(slot))
    }

    pub(super) fn pop(&mut self, requests: &mut Requests) -> Option<Item> {
        let slot = self.first()?;
        let (&mut left, &mut right) = requests.children(slot);
        self.root = merge(requests, left, right);
        Some(*requests.item(slot))
    }
}

/// Merges two heaps from the top down: each step takes the lesser root, swaps its children, and goes on with the
/// one that was on the right.
fn merge(requests: &mut Requests, mut a: u32, mut b: u32) -> u32 {
    let (mut root, mut parent) = (NONE, NONE);
    while a != NONE || b != NONE {
        if a == NONE || (b != NONE && requests.key(b) < requests.key(a)) {
            std::mem::swap(&mut a, &mut b);
        }
        match parent {
            NONE => root = a,
            _ => *requests.children(parent).0 = a,
        }
        if b == NONE {
            break;
        }
        let (left, right) = requests.children(a);
        std::mem::swap(left, right);
        (parent, a) = (a, *left);
    }
    root
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::item;
    use super::*;

    proptest! {
        #[test]
        fn a_heap_gives_back_what_it_got_in_order(
            keys in prop::collection::vec(0_u64..20, 0..60),
            pops in 0_usize..40,
        ) {
            let mut requests = Requests::new(60);
            let (mut heap, mut other) = (Heap::EMPTY, Heap::EMPTY);
            let mut expected = Vec::new();
            for (index, &key) in keys.iter().enumerate() {
                let (item, key) = (item(index as u32, None), (key, index as u64));
                if key.0 % 5 == 4 {
                    other.push(&mut requests, key, item, Tsc(0));
                } else {
                    heap.push(&mut requests, key, item, Tsc(0));
                    expected.push(key);
                }
            }
            expected.sort_unstable();
            for key in expected.into_iter().take(pops) {
                prop_assert_eq!(heap.least(&requests), key);
                prop_assert_eq!(heap.pop(&mut requests).map(|item| u64::from(item.slot)), Some(key.1));
            }
        }
    }
}
