//! The machine below: clock, cores, symbols that may be absent.

pub(crate) mod affinity;
pub(crate) mod build;
pub(crate) mod clock;
pub(crate) mod idle;
pub(crate) mod second;
pub(crate) mod socket;
pub(crate) mod weak;
