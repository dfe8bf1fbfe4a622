//! The only source of atomics and of cells that threads share.
//!
//! The concurrency files (`ring/spsc`, `preempt/turn`, `preempt/line`, `preempt/decide`) name nothing but
//! `crate::sync` and the ABI crate (`sys/idle` too). `tests/loom.rs` compiles those very files a second time, in a crate whose
//! `sync` module is made of loom's types: the model checks the shipped source, and needs no flags.

pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(crate) use std::thread::{Thread, park};

/// `std`'s cell behind loom's interface: the closure marks how long the pointer is used.
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
