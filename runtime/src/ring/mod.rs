//! Rings between two threads.

pub(crate) mod spsc;

#[cfg(test)]
mod tests;
