//! What is noted of each answered request.

use crate::results::Percentiles;
use crate::stats::Distribution;

/// An answered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Index of its class.
    pub class: u16,
    /// When it arrived, in nanoseconds since the run's start.
    pub arrival: u64,
    /// From its arrival to its answer, network included, in nanoseconds.
    pub sojourn: u64,
    /// Service that it needed, in nanoseconds.
    pub service: u64,
}

/// Looks at what a simulation does.
pub trait Observer {
    /// Called when a request was answered.
    fn answered(&mut self, answered: Answered);

    /// Called when a request was not taken in.
    fn dropped(&mut self, _class: u16) {}

    /// Called after each answer: whether the rest of the run is of no interest.
    fn is_done(&self) -> bool {
        false
    }
}

/// Distributions of each class, without what arrived while the system filled up.
pub struct Tally {
    warm_up_ns: u64,
    classes: Vec<ClassTally>,
}

/// One class of a [`Tally`].
pub struct ClassTally {
    /// Sojourn times in nanoseconds.
    pub sojourn: Distribution,
    /// Sojourn time over service time.
    pub slowdown: Distribution,
    /// Sum of the sojourn times.
    pub sojourn_sum: f64,
    /// Sum of the service times.
    pub service_sum: f64,
}

impl Tally {
    /// For `classes` classes; what arrives before `warm_up_ns` does not count.
    pub fn new(classes: usize, warm_up_ns: u64) -> Self {
        let class = || ClassTally {
            sojourn: Distribution::whole(),
            slowdown: Distribution::ratios(),
            sojourn_sum: 0.0,
            service_sum: 0.0,
        };
        Self { warm_up_ns, classes: (0..classes).map(|_| class()).collect() }
    }

    /// The classes.
    pub fn classes(&self) -> &[ClassTally] {
        &self.classes
    }

    /// Slowdowns over all classes; `None` when nothing counted.
    pub fn slowdown(&self) -> Distribution {
        let mut all = Distribution::ratios();
        self.classes.iter().for_each(|class| all.merge(&class.slowdown));
        all
    }

    /// Mean sojourn time over all classes in nanoseconds; NaN when nothing counted.
    pub fn mean_sojourn(&self) -> f64 {
        let sum: f64 = self.classes.iter().map(|class| class.sojourn_sum).sum();
        let count: u64 = self.classes.iter().map(|class| class.sojourn.len()).sum();
        sum / count as f64
    }
}

impl ClassTally {
    /// Mean sojourn time in nanoseconds; NaN when nothing counted.
    pub fn mean_sojourn(&self) -> f64 {
        self.sojourn_sum / self.sojourn.len() as f64
    }

    /// Percentiles of the slowdowns.
    pub fn slowdowns(&self) -> Option<Percentiles> {
        self.slowdown.percentiles()
    }
}

impl Observer for Tally {
    fn answered(&mut self, answered: Answered) {
        if answered.arrival < self.warm_up_ns {
            return;
        }
        let class = &mut self.classes[usize::from(answered.class)];
        class.sojourn.add(answered.sojourn as f64);
        class.slowdown.add(answered.sojourn as f64 / answered.service as f64);
        class.sojourn_sum += answered.sojourn as f64;
        class.service_sum += answered.service as f64;
    }
}
