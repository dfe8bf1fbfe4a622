//! Requests under way.

/// A request as it comes from a workload or a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// When it arrives, in nanoseconds since the run's start.
    pub at: u64,
    /// Index of its class.
    pub class: u16,
    /// Service that it needs, in nanoseconds.
    pub service: u64,
}

/// No worker.
pub(super) const NOBODY: u16 = u16::MAX;

/// One request under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) arrival: u64,
    pub(super) service: u64,
    /// Work that is left, probes included.
    pub(super) left: u64,
    /// Time that it has run.
    pub(super) received: u64,
    pub(super) class: u16,
    /// The class that the policy is told.
    pub(super) told: u16,
    /// The worker that started it, or [`NOBODY`].
    pub(super) worker: u16,
}

/// All requests under way, by slot. A slot that was used last is used next, while its memory is near.
pub(super) struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
    bound: usize,
}

impl Table {
    /// For at most `bound` requests.
    pub(super) fn new(bound: usize) -> Self {
        Self { slots: Vec::new(), free: Vec::new(), bound }
    }

    /// Takes a request in; `None` when there are as many as may be.
    pub(super) fn insert(&mut self, slot: Slot) -> Option<u32> {
        if let Some(free) = self.free.pop() {
            self.slots[free as usize] = slot;
            return Some(free);
        }
        if self.slots.len() == self.bound {
            return None;
        }
        self.slots.push(slot);
        Some(self.slots.len() as u32 - 1)
    }

    pub(super) fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    pub(super) fn get(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// The class of each request under way.
    pub(super) fn classes_under_way(&self) -> Vec<u16> {
        let mut is_free = vec![false; self.slots.len()];
        self.free.iter().for_each(|&slot| is_free[slot as usize] = true);
        let slots = self.slots.iter().zip(is_free);
        slots.filter(|(_, is_free)| !is_free).map(|(slot, _)| slot.class).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }
}
