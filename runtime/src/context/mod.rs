//! Contexts: tasks, their stacks, and what a switch between them must carry.

pub(crate) mod current;
mod fiber;
mod registers;
mod stack;
mod task;

#[cfg(test)]
pub(crate) use fiber::Stack;
pub(crate) use fiber::{Fiber, Outcome};
pub(crate) use stack::StackPool;
pub(crate) use task::{Meta, Task};
