//! How far the last probe may be behind, at one point of a function: the arithmetic of placement.
//!
//! Costs are instructions weighted by what they cost. A *clean* path has met no probe since its region (a
//! function, or a round of a loop) was entered; a *dirty* one has.

/// The longest paths that placement allows, in cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// From one probe to the next.
    pub limit: u32,
}

impl Bound {
    /// From a region's entry to its first probe, so that who enters it has something left.
    pub fn clean(self) -> u32 {
        self.limit / 4 * 3
    }

    /// All rounds of a loop without a probe, and all rounds of a chunk: two such loops, one behind the other, need
    /// no probe between them (vector loops and what they leave over).
    pub fn rounds(self) -> u32 {
        self.limit / 8 * 3
    }

    /// All rounds of a loop's first chunk, which is what code around the loop has to count with. A loop that is `left
    /// early` mostly takes few rounds: so few that a loop around it can run in chunks too.
    pub fn opening(self, left_early: bool) -> u32 {
        if left_early { self.limit / 32 } else { self.limit / 8 }
    }

    /// One piece of straight code, which is not divided further.
    pub fn piece(self) -> u32 {
        (self.limit / 8).max(1)
    }
}

/// The shortest and longest of several paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The shortest.
    pub least: u32,
    /// The longest.
    pub most: u32,
}

/// What entering and leaving a region means for the distance to the last probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The longest path through it without a probe; `None` when every path through it meets one.
    pub through: Option<u32>,
    /// The shortest of them.
    pub least: u32,
    /// The longest path from its entry without a probe, wherever it ends.
    pub head: u32,
    /// The longest path from a probe in it to its exit; `None` when it has none that is left by.
    pub tail: Option<u32>,
}

impl Summary {
    /// Straight code without probes.
    pub fn of_work(cost: u32) -> Self {
        Self { through: Some(cost), least: cost, head: cost, tail: None }
    }

    /// Straight code without probes of which nobody knows how long it takes.
    pub fn of_span(least: u32, most: u32) -> Self {
        Self { least, ..Self::of_work(most) }
    }

    /// Whichever of two is entered.
    pub fn either(self, other: Self) -> Self {
        Self {
            through: self.through.max(other.through),
            least: self.least.min(other.least),
            head: self.head.max(other.head),
            tail: self.tail.max(other.tail),
        }
    }
}

/// The paths that lead to one point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Costs of the clean paths, when there are any.
    pub clean: Option<Span>,
    /// The longest way since a probe, when a path has met one.
    pub dirty: Option<u32>,
}

impl State {
    /// A region's entry.
    pub const ENTRY: Self = Self { clean: Some(Span { least: 0, most: 0 }), dirty: None };
    /// Directly behind a probe.
    pub const PROBED: Self = Self { clean: None, dirty: Some(0) };

    /// Paths of both.
    pub fn join(self, other: Self) -> Self {
        let clean = match (self.clean, other.clean) {
            (Some(one), Some(two)) => {
                Some(Span { least: one.least.min(two.least), most: one.most.max(two.most) })
            }
            (one, two) => one.or(two),
        };
        Self { clean, dirty: self.dirty.max(other.dirty) }
    }

    /// Whether no path leads here.
    pub fn is_empty(self) -> bool {
        self.clean.is_none() && self.dirty.is_none()
    }

    /// The longest clean path.
    pub fn most_clean(self) -> u32 {
        self.clean.map_or(0, |span| span.most)
    }

    /// The longest path of any kind.
    pub fn longest(self) -> u32 {
        self.most_clean().max(self.dirty.unwrap_or(0))
    }

    /// Whether a path may go on for `cost` without a probe.
    pub fn fits(self, cost: u32, bound: Bound) -> bool {
        self.clean.is_none_or(|span| span.most.saturating_add(cost) <= bound.clean())
            && self.dirty.is_none_or(|dirty| dirty.saturating_add(cost) <= bound.limit)
    }

    /// Behind a region that was entered here.
    pub fn behind(self, region: Summary) -> Self {
        let longer = |cost: u32, by: u32| cost.saturating_add(by);
        let clean = self.clean.zip(region.through).map(|(span, through)| Span {
            least: longer(span.least, region.least),
            most: longer(span.most, through),
        });
        let dirty = self.dirty.zip(region.through).map(|(dirty, through)| longer(dirty, through));
        let passed = (!self.is_empty()).then_some(region.tail).flatten();
        Self { clean, dirty: dirty.max(passed) }
    }
}
