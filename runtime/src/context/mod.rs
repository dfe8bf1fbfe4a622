//! Contexts: tasks, their stacks, and what a switch between them must carry.

pub(crate) mod current;
mod fiber;
mod registers;
mod stack;
mod task;

pub(crate) use fiber::{Fiber, Outcome, Stack};
pub(crate) use stack::StackPool;
pub(crate) use task::{Meta, Task};
