//! Where a policy keeps the requests that wait: one table, through which first-in-first-out lists and heaps run.

use super::Item;
use crate::sys::clock::{Ticks, Tsc};

/// Nobody follows.
pub(super) const NONE: u32 = u32::MAX;

/// How a request stands to others, in whatever way the policy likes: the least first.
pub(super) type Key = (u64, u64);

/// The requests that wait, by slot. Made before the run: lists only set links, whatever their number.
#[derive(Debug)]
pub(super) struct Requests {
    entries: Box<[Entry]>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: Item,
    key: Key,
    /// Since when it waits, or has waited before it was handed out.
    waits_since: Tsc,
    /// In a list, who follows; in a heap, the left child.
    next: u32,
    /// In a heap, the right child.
    right: u32,
}

impl Requests {
    /// For slots below `capacity`.
    pub(super) fn new(capacity: usize) -> Self {
        let item =
            Item { slot: 0, class: Default::default(), arrival: Tsc(0), received: Ticks(0), pinned: None };
        Self {
            entries: vec![
                Entry { item, key: (0, 0), waits_since: Tsc(0), next: NONE, right: NONE };
                capacity
            ]
            .into(),
        }
    }

    /// A request as it was when it last came: while it waits, and until it comes again.
    #[inline]
    pub(super) fn item(&self, slot: u32) -> &Item {
        &self.entries[slot as usize].item
    }

    /// Since when a request waits, or had waited when it was handed out.
    #[inline]
    pub(super) fn waits_since(&self, slot: u32) -> Tsc {
        self.entries[slot as usize].waits_since
    }

    /// A request's key when it last came.
    #[inline]
    pub(super) fn key(&self, slot: u32) -> Key {
        self.entries[slot as usize].key
    }

    /// Enters a request that stands in no list and no heap yet.
    #[inline]
    pub(super) fn enter(&mut self, key: Key, item: Item, now: Tsc) {
        *self.entry(item.slot) = Entry { item, key, waits_since: now, next: NONE, right: NONE };
    }

    /// The left and the right child of a request in a heap.
    #[inline]
    pub(super) fn children(&mut self, slot: u32) -> (&mut u32, &mut u32) {
        let Entry { next, right, .. } = self.entry(slot);
        (next, right)
    }

    fn entry(&mut self, slot: u32) -> &mut Entry {
        &mut self.entries[slot as usize]
    }
}

/// A first-in-first-out list of requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
    len: u32,
}

impl List {
    pub(super) const EMPTY: List = List { first: NONE, last: NONE, len: 0 };

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// The oldest one's slot.
    #[inline]
    pub(super) fn first(&self) -> Option<u32> {
        (self.len > 0).then_some(self.first)
    }

    /// The slot of the one that `position` others precede; walks there.
    #[inline]
    pub(super) fn nth(&self, requests: &Requests, position: usize) -> Option<u32> {
        if position >= self.len() {
            return None;
        }
        Some((0..position).fold(self.first, |slot, _| requests.entries[slot as usize].next))
    }

    /// Adds a request; `key` says how it stands to those of other lists.
    #[inline]
    pub(super) fn push_back(&mut self, requests: &mut Requests, key: Key, item: Item, now: Tsc) {
        requests.enter(key, item, now);
        match self.len {
            0 => self.first = item.slot,
            _ => requests.entry(self.last).next = item.slot,
        }
        self.last = item.slot;
        self.len += 1;
    }

    /// As [`push_back`](List::push_back), before all others.
    #[inline]
    pub(super) fn push_front(&mut self, requests: &mut Requests, key: Key, item: Item, now: Tsc) {
        let next = self.first().unwrap_or(NONE);
        requests.enter(key, item, now);
        requests.entry(item.slot).next = next;
        self.first = item.slot;
        if self.len == 0 {
            self.last = item.slot;
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn pop_front(&mut self, requests: &Requests) -> Option<Item> {
        let entry = &requests.entries[self.first()? as usize];
        self.first = entry.next;
        self.len -= 1;
        Some(entry.item)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::item;
    use super::*;

    #[test]
    fn lists_of_one_table_keep_their_orders() {
        let mut requests = Requests::new(8);
        let (mut a, mut b) = (List::EMPTY, List::EMPTY);
        for slot in 0..6 {
            let list = if slot % 2 == 0 { &mut a } else { &mut b };
            list.push_back(&mut requests, (slot.into(), 0), item(slot, None), Tsc(0));
        }
        a.push_front(&mut requests, (9, 0), item(6, None), Tsc(0));
        assert_eq!((a.first(), requests.key(6)), (Some(6), (9, 0)));
        assert_eq!((a.nth(&requests, 2), b.nth(&requests, 3)), (Some(2), None));
        let drain = |list: &mut List| -> Vec<u32> {
            std::iter::from_fn(|| list.pop_front(&requests)).map(|item| item.slot).collect()
        };
        assert_eq!((drain(&mut a), drain(&mut b)), (vec![6, 0, 2, 4], vec![1, 3, 5]));
        assert!(a.is_empty() && b.is_empty());
        b.push_back(&mut requests, (0, 0), item(3, None), Tsc(0));
        assert_eq!(b.first(), Some(3));
    }
}
