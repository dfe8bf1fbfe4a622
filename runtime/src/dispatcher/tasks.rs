//! All tasks of a server: made before the run, named by their slot, here while nobody runs them.

use crate::context::{Meta, Task};
use crate::id::Class;
use crate::policy::ClassBounds;

/// See the module.
#[derive(Debug)]
pub(crate) struct TaskTable {
    tasks: Vec<Option<Task>>,
    /// Slots without a request; the last one used is the first used again, while its memory is warm.
    free: Vec<u32>,
    bounds: ClassBounds,
    request_size: usize,
}

/// Tasks that have memory for payload and reply before the run; the others, which only an overload needs, get
/// it when they are first used.
const PREPARED: usize = 1024;

impl TaskTable {
    pub(crate) fn new(tasks: usize, classes: usize, request_size: usize, reply_size: usize) -> Self {
        let bounds = ClassBounds::new(tasks, classes);
        let slots = 0..u32::try_from(tasks).expect("`queue_bound` was checked");
        let mut tasks: Vec<_> = slots.clone().map(|slot| Some(Task::new(slot, reply_size))).collect();
        tasks.iter_mut().flatten().take(PREPARED).for_each(|task| task.prepare(request_size));
        Self { tasks, free: slots.rev().collect(), bounds, request_size }
    }

    /// Keeps a task free for a request of `class`, unless as many as may be are under way.
    pub(crate) fn admit(&mut self, class: Class) -> bool {
        self.bounds.admit(class)
    }

    /// Whether no task has a request.
    pub(crate) fn is_idle(&self) -> bool {
        self.free.len() == self.tasks.len()
    }

    /// Gives a free task a request that was admitted.
    pub(crate) fn fill(&mut self, meta: Meta, payload: &[u8]) -> u32 {
        let slot = self.free.pop().expect("the table is not full");
        let task = self.tasks[slot as usize].as_mut().expect("a free task is in the table");
        task.prepare(self.request_size);
        task.fill(meta, payload);
        slot
    }

    /// Takes a task out, to be run.
    pub(crate) fn take(&mut self, slot: u32) -> Task {
        self.tasks[slot as usize].take().expect("a policy names a request once")
    }

    /// Puts back a task that was run.
    pub(crate) fn put(&mut self, task: Task) {
        let slot = task.meta().slot;
        if task.meta().is_over {
            self.bounds.leave(task.meta().class);
            self.free.push(slot);
        }
        self.tasks[slot as usize] = Some(task);
    }
}
