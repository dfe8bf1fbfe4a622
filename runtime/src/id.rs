//! Names of workers and classes.

use std::fmt;

/// Names a worker, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u16);

impl WorkerId {
    /// The dispatcher, in its role of running requests itself.
    pub const DISPATCHER: WorkerId = WorkerId(u16::MAX);

    /// As an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::DISPATCHER { write!(f, "dispatcher") } else { write!(f, "worker {}", self.0) }
    }
}

/// Names a class of requests: an index into [`Service::classes`](crate::Service::classes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u16);

impl Class {
    /// A request that the service cannot name. It is served: by policies that go by class, in a queue of its own;
    /// in the statistics, as the class `unknown`.
    pub const UNKNOWN: Class = Class(u16::MAX);

    /// Its index among so many classes; the index after the last one when it is none of them.
    #[inline]
    pub fn index_among(self, classes: usize) -> usize {
        self.index().min(classes)
    }

    /// As an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}
