//! The machine below: clock, cores, symbols that may be absent.

pub(crate) mod weak;
