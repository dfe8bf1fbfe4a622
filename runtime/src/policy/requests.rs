//! Where a policy keeps the requests that wait: one table, through which first-in-first-out lists run.

use super::Item;
use crate::sys::clock::{Ticks, Tsc};

/// Nobody follows.
const NONE: u32 = u32::MAX;

/// The requests that wait, by slot. Made before the run: lists only set links, whatever their number.
#[derive(Debug)]
pub(super) struct Requests {
    entries: Box<[Entry]>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: Item,
    /// See [`List::push_back`].
    number: u64,
    /// Since when it waits, or has waited before it was handed out.
    waits_since: Tsc,
    next: u32,
}

impl Requests {
    /// For slots below `capacity`.
    pub(super) fn new(capacity: usize) -> Self {
        let item =
            Item { slot: 0, class: Default::default(), arrival: Tsc(0), received: Ticks(0), pinned: None };
        Self { entries: vec![Entry { item, number: 0, waits_since: Tsc(0), next: NONE }; capacity].into() }
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

    /// The oldest one and the number with which it came.
    #[inline]
    pub(super) fn front<'a>(&self, requests: &'a Requests) -> Option<(u64, &'a Item)> {
        let entry = &requests.entries[self.first()? as usize];
        Some((entry.number, &entry.item))
    }

    /// Adds a request; `number` says how it stands to those of other lists, in whatever way the policy likes.
    #[inline]
    pub(super) fn push_back(&mut self, requests: &mut Requests, number: u64, item: Item, now: Tsc) {
        *requests.entry(item.slot) = Entry { item, number, waits_since: now, next: NONE };
        match self.len {
            0 => self.first = item.slot,
            _ => requests.entry(self.last).next = item.slot,
        }
        self.last = item.slot;
        self.len += 1;
    }

    /// As [`push_back`](List::push_back), before all others.
    #[inline]
    pub(super) fn push_front(&mut self, requests: &mut Requests, number: u64, item: Item, now: Tsc) {
        let next = self.first().unwrap_or(NONE);
        *requests.entry(item.slot) = Entry { item, number, waits_since: now, next };
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
            list.push_back(&mut requests, slot.into(), item(slot, None), Tsc(0));
        }
        a.push_front(&mut requests, 9, item(6, None), Tsc(0));
        assert_eq!(a.front(&requests).map(|(number, item)| (number, item.slot)), Some((9, 6)));
        assert_eq!((a.nth(&requests, 2), b.nth(&requests, 3)), (Some(2), None));
        let drain = |list: &mut List| -> Vec<u32> {
            std::iter::from_fn(|| list.pop_front(&requests)).map(|item| item.slot).collect()
        };
        assert_eq!((drain(&mut a), drain(&mut b)), (vec![6, 0, 2, 4], vec![1, 3, 5]));
        assert!(a.is_empty() && b.is_empty());
        b.push_back(&mut requests, 0, item(3, None), Tsc(0));
        assert_eq!(b.first(), Some(3));
    }
}
