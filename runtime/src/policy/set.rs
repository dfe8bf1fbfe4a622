//! Sets of workers, as bits.

use crate::id::WorkerId;

/// A set of workers. Finding a member looks at 64 workers at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSet(Box<[u64]>);

impl WorkerSet {
    /// No worker, of `workers`.
    pub fn none(workers: usize) -> Self {
        Self(vec![0; workers.div_ceil(64)].into())
    }

    /// All of `workers` workers.
    pub fn all(workers: usize) -> Self {
        let mut set = Self::none(workers);
        (0..workers).for_each(|index| set.insert(WorkerId(index as u16)));
        set
    }

    /// Adds one.
    #[inline]
    pub fn insert(&mut self, worker: WorkerId) {
        self.0[worker.index() / 64] |= 1 << (worker.index() % 64);
    }

    /// Takes one out.
    #[inline]
    pub fn remove(&mut self, worker: WorkerId) {
        self.0[worker.index() / 64] &= !(1 << (worker.index() % 64));
    }

    /// Whether `worker` is in it.
    #[inline]
    pub fn contains(&self, worker: WorkerId) -> bool {
        self.0[worker.index() / 64] & (1 << (worker.index() % 64)) != 0
    }

    /// Whether nobody is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many are in it.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Makes it those that are in both `a` and `b`.
    #[inline]
    pub fn set_to_both(&mut self, a: &WorkerSet, b: &WorkerSet) {
        for (word, (a, b)) in self.0.iter_mut().zip(a.0.iter().zip(&b.0)) {
            *word = a & b;
        }
    }

    /// Makes it the workers from `first` on, up to `end`, which is not in it.
    pub fn fill_range(&mut self, first: usize, end: usize) {
        self.0.fill(0);
        (first..end).for_each(|index| self.insert(WorkerId(index as u16)));
    }

    /// The first of it.
    #[inline]
    pub fn first(&self) -> Option<WorkerId> {
        first(self.0.iter().copied())
    }

    /// The first that is in `other` too.
    #[inline]
    pub fn first_in(&self, other: &WorkerSet) -> Option<WorkerId> {
        first(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & theirs))
    }

    /// The first that is not in `other`.
    #[inline]
    pub fn first_outside(&self, other: &WorkerSet) -> Option<WorkerId> {
        first(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & !theirs))
    }

    /// All of it, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = WorkerId> {
        self.0.iter().enumerate().flat_map(|(index, &word)| Bits(word).map(move |bit| id(index, bit)))
    }
}

#[inline]
fn first(words: impl Iterator<Item = u64>) -> Option<WorkerId> {
    let (index, word) = words.enumerate().find(|&(_, word)| word != 0)?;
    Some(id(index, word.trailing_zeros()))
}

fn id(word: usize, bit: u32) -> WorkerId {
    WorkerId((word * 64) as u16 + bit as u16)
}

struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_across_words() {
        let mut set = WorkerSet::none(130);
        assert_eq!((set.first(), set.is_empty()), (None, true));
        for worker in [3, 64, 129] {
            set.insert(WorkerId(worker));
        }
        let mut other = WorkerSet::all(130);
        other.remove(WorkerId(64));
        assert_eq!((set.first(), set.len(), other.len()), (Some(WorkerId(3)), 3, 129));
        assert_eq!(set.first_outside(&other), Some(WorkerId(64)));
        set.remove(WorkerId(3));
        assert_eq!(set.first_in(&other), Some(WorkerId(129)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [WorkerId(64), WorkerId(129)]);
        other.fill_range(60, 66);
        set.set_to_both(&other, &WorkerSet::all(130));
        assert_eq!(set.iter().map(|worker| worker.0).collect::<Vec<_>>(), [60, 61, 62, 63, 64, 65]);
        assert!(set.contains(WorkerId(64)) && !set.contains(WorkerId(3)));
    }
}
