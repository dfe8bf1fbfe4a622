//! A bounded ring from one producer to one consumer.
//!
//! ```text
//!            head (consumer)        tail (producer)
//!               v                      v
//!   slots: | . | a | b | c | d | e | . | . |
//! ```
//!
//! | Word | Written by | Read by | Ordering | Pairs with |
//! |---|---|---|---|---|
//! | tail | producer | consumer | Release / Acquire | each other: a slot's content is seen with the tail behind it |
//! | head | consumer | producer | Release / Acquire | each other: a slot is overwritten only after it was moved out |
//! | slots | producer | consumer | none | through tail and head |
//!
//! Invariants:
//!
//! * **I1** `head <= tail <= head + capacity` (both count without end and wrap).
//! * **I2** Slots in `head..tail` are initialised and the consumer's; all others are the producer's.
//! * **I3** No cache line is written by two sides: head and tail have lines of their own, the slots are
//!   written by the producer alone.
//!
//! Cost: each side keeps a copy of the other's index and reads the shared one only when the copy says full or
//! empty; a push and the pop of it move two cache lines.

use std::mem::{MaybeUninit, offset_of};

use crossbeam_utils::CachePadded;

use crate::sync::{Arc, AtomicUsize, Ordering, UnsafeCell};

struct Ring<T> {
    head: CachePadded<AtomicUsize>,
    tail: CachePadded<AtomicUsize>,
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
}

// The layout that I3 needs: 128 bytes, since adjacent-line prefetchers move lines in pairs.
const _: () = assert!(align_of::<CachePadded<AtomicUsize>>() == concord_abi::LINE_BYTES);
const _: () = {
    let (head, tail) = (offset_of!(Ring<u64>, head), offset_of!(Ring<u64>, tail));
    // The pointer to the slots is in a third pair of lines, which nobody writes.
    let slots = offset_of!(Ring<u64>, slots);
    assert!(head.abs_diff(tail) >= 128 && head.abs_diff(slots) >= 128 && tail.abs_diff(slots) >= 128);
};

// SAFETY: values of `T` cross from the producer's thread to the consumer's, hence `T: Send`; the slots are
// shared by I2, which the two handles keep by being the only writers of head and tail.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: as above; the ring may also be dropped on either thread, with values in it.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> Ring<T> {
    fn slot(&self, index: usize) -> &UnsafeCell<MaybeUninit<T>> {
        // The capacity is a power of two.
        &self.slots[index & (self.slots.len() - 1)]
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        // Relaxed: both handles are gone; the reference count ordered their accesses before this.
        let (head, tail) = (self.head.load(Ordering::Relaxed), self.tail.load(Ordering::Relaxed));
        let mut index = head;
        while index != tail {
            // SAFETY: I2, and nobody else has access.
            self.slot(index).with_mut(|slot| unsafe { (*slot).assume_init_drop() });
            index = index.wrapping_add(1);
        }
    }
}

/// Makes a ring for at least `capacity` values.
pub(crate) fn ring<T>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let capacity = capacity.max(1).next_power_of_two();
    let ring = Arc::new(Ring {
        head: CachePadded::new(AtomicUsize::new(0)),
        tail: CachePadded::new(AtomicUsize::new(0)),
        slots: (0..capacity).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
    });
    let producer = Producer { ring: Arc::clone(&ring), tail: 0, head_seen: 0 };
    (producer, Consumer { ring, head: 0, tail_seen: 0 })
}

/// The side that pushes.
pub(crate) struct Producer<T> {
    ring: Arc<Ring<T>>,
    tail: usize,
    head_seen: usize,
}

impl<T> Producer<T> {
    /// Appends `value`, or gives it back when the ring is full.
    pub(crate) fn push(&mut self, value: T) -> Result<(), T> {
        let capacity = self.ring.slots.len();
        if self.tail.wrapping_sub(self.head_seen) == capacity {
            // Acquire: pairs with the Release in `pop`; the slot's old value has been moved out.
            self.head_seen = self.ring.head.load(Ordering::Acquire);
            if self.tail.wrapping_sub(self.head_seen) == capacity {
                return Err(value);
            }
        }
        // SAFETY: I2; the slot at the tail is the producer's.
        self.ring.slot(self.tail).with_mut(|slot| unsafe { (*slot).write(value) });
        self.tail = self.tail.wrapping_add(1);
        // Release: pairs with the Acquire in `refresh`.
        self.ring.tail.store(self.tail, Ordering::Release);
        Ok(())
    }
}

/// The side that pops.
pub(crate) struct Consumer<T> {
    ring: Arc<Ring<T>>,
    head: usize,
    tail_seen: usize,
}

impl<T> Consumer<T> {
    /// Takes the oldest value.
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: I2; the slot at the head is initialised, and moving the head on gives it up.
        let value = self.ring.slot(self.head).with(|slot| unsafe { (*slot).assume_init_read() });
        self.head = self.head.wrapping_add(1);
        // Release: pairs with the Acquire in `push`.
        self.ring.head.store(self.head, Ordering::Release);
        Some(value)
    }

    /// A look at this ring for someone who holds the consumer still meanwhile.
    pub(crate) fn peek(&self) -> Peek<T> {
        Peek(Arc::clone(&self.ring))
    }

    /// Whether there is nothing to take now.
    pub(crate) fn is_empty(&mut self) -> bool {
        if self.head == self.tail_seen {
            // Acquire: pairs with the Release in `push`; the slots up to the tail are initialised.
            self.tail_seen = self.ring.tail.load(Ordering::Acquire);
        }
        self.head == self.tail_seen
    }
}

/// Sees from the consumer's thread, without the consumer, whether its ring holds something.
pub(crate) struct Peek<T>(Arc<Ring<T>>);

impl<T> Peek<T> {
    /// Whether there is something to take.
    pub(crate) fn has_some(&self) -> bool {
        // Relaxed: the head is this thread's own word; no value is touched on the strength of the tail, which
        // the consumer reads again, with Acquire, before it takes one.
        self.0.tail.load(Ordering::Relaxed) != self.0.head.load(Ordering::Relaxed)
    }
}
