//! A worker's pool of stacks.

use std::io;

use super::fiber::Stack;

/// Stacks that wait for a task; belongs to one worker, so that it needs no lock and a stack stays in the
/// caches of its core.
pub(crate) struct StackPool {
    bytes: usize,
    free: Vec<Stack>,
    made: u64,
}

impl StackPool {
    /// Maps `prepared` stacks of `bytes` each. The pool grows when more tasks are under way at once.
    pub(crate) fn new(bytes: usize, prepared: usize) -> io::Result<Self> {
        let mut free = (0..prepared).map(|_| Stack::new(bytes)).collect::<io::Result<Vec<_>>>()?;
        free.iter_mut().for_each(Stack::commit_top);
        Ok(Self { bytes, free, made: prepared as u64 })
    }

    /// A stack: the one used last, which is the warmest, or a new one.
    pub(crate) fn take(&mut self) -> io::Result<Stack> {
        if let Some(stack) = self.free.pop() {
            return Ok(stack);
        }
        let stack = Stack::new(self.bytes)?;
        self.made += 1;
        Ok(stack)
    }

    /// Gives a stack back.
    pub(crate) fn put(&mut self, stack: Stack) {
        self.free.push(stack);
    }

    /// Stacks mapped so far: the most tasks that were under way at once.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_reused_before_new_ones_are_made() {
        let mut pool = StackPool::new(16 << 10, 1).unwrap();
        let first = pool.take().unwrap();
        let second = pool.take().unwrap();
        assert_eq!(pool.made(), 2);
        pool.put(first);
        pool.put(second);
        pool.take().unwrap();
        assert_eq!(pool.made(), 2);
    }
}
