//! How many requests of each class may be under way: an overloaded class is shed, the others are not.

use crate::id::Class;

/// Dynamic thresholds (Choudhury, Hahne, IEEE/ACM Trans. Networking 1998): a class may have eight times as many
/// requests under way as there is room left. One overloaded class then takes all but a ninth of the room, n of them
/// leave one part in 8n + 1, and whoever is not overloaded finds room; nothing needs to be set by hand.
#[derive(Debug)]
pub struct ClassBounds {
    /// By class; the last one counts requests of unknown class.
    under_way: Box<[usize]>,
    free: usize,
    share: usize,
}

const SHARE: usize = 8;

impl ClassBounds {
    /// For at most `capacity` requests of `classes` classes. A single class may have all the room.
    pub fn new(capacity: usize, classes: usize) -> Self {
        let share = if classes > 1 { SHARE } else { capacity };
        Self { under_way: vec![0; classes + 1].into(), free: capacity, share }
    }

    fn index(&self, class: Class) -> usize {
        class.index_among(self.under_way.len() - 1)
    }

    /// Takes a request of `class` in, if there is room for it; else it is to be dropped.
    #[inline]
    #[must_use]
    pub fn admit(&mut self, class: Class) -> bool {
        let index = self.index(class);
        let fits = self.under_way[index] < self.share * self.free;
        if fits {
            self.under_way[index] += 1;
            self.free -= 1;
        }
        fits
    }

    /// A request of `class` was answered.
    ///
    /// # Panics
    /// In debug builds, when none was under way.
    #[inline]
    pub fn leave(&mut self, class: Class) {
        let index = self.index(class);
        self.under_way[index] -= 1;
        self.free += 1;
    }

    /// Requests for which there is room, of whatever class.
    #[inline]
    pub fn free(&self) -> usize {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(bounds: &mut ClassBounds, class: u16) -> usize {
        (0..).take_while(|_| bounds.admit(Class(class))).count()
    }

    #[test]
    fn an_overloaded_class_leaves_room_to_the_others() {
        let mut bounds = ClassBounds::new(900, 3);
        assert_eq!((fill(&mut bounds, 0), bounds.free()), (800, 100));
        assert!(bounds.admit(Class(1)) && !bounds.admit(Class(0)));
        bounds.leave(Class(1));
        bounds.leave(Class(0));
        assert!(bounds.admit(Class(0)));
        assert_eq!(fill(&mut bounds, 2), 89, "eight ninths of what was left");
        assert!(bounds.admit(Class(900)), "an unknown one");
    }

    #[test]
    fn a_single_class_has_all_the_room() {
        let mut bounds = ClassBounds::new(5, 1);
        assert_eq!((fill(&mut bounds, 0), bounds.free()), (5, 0));
    }

    #[test]
    fn the_smallest_table_serves_all_classes() {
        let mut bounds = ClassBounds::new(1, 2);
        assert!(bounds.admit(Class(0)) && !bounds.admit(Class(1)));
        bounds.leave(Class(0));
        assert!(bounds.admit(Class(1)));
    }
}
