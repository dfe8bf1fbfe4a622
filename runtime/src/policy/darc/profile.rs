//! What a window of requests says of each class.

use crate::sys::clock::Ticks;

/// Arrivals and service times by class, in windows of so many completions.
///
/// How often a class occurs is counted where requests arrive: a class that is starved does not complete, and must
/// not be taken for one that is gone. How long it runs is known when it completes.
#[derive(Debug)]
pub(super) struct Profile {
    window: u64,
    completions: u64,
    classes: Box<[ClassProfile]>,
}

/// One class.
#[derive(Clone, Copy, Debug, Default)]
struct ClassProfile {
    arrivals: u64,
    completions: u64,
    service: u64,
    /// In ticks; of the windows before, `None` when there was nothing.
    mean: Option<f64>,
    /// Share of the arrivals in the last window, 0 to 1.
    ratio: f64,
}

/// The mean of the windows before counts for so many completions of this one: a class that is rare keeps a
/// steady mean, one that is frequent and has changed is seen by its new mean after one window.
const WEIGHT_OF_THE_PAST: f64 = 8.0;

impl Profile {
    pub(super) fn new(classes: usize, window: u64) -> Self {
        Self { window, completions: 0, classes: vec![ClassProfile::default(); classes].into() }
    }

    #[inline]
    pub(super) fn arrived(&mut self, class: usize) {
        if let Some(class) = self.classes.get_mut(class) {
            class.arrivals += 1;
        }
    }

    #[inline]
    pub(super) fn completed(&mut self, class: usize, service: Ticks) {
        let Some(class) = self.classes.get_mut(class) else { return };
        class.completions += 1;
        class.service += service.0;
        self.completions += 1;
    }

    /// Whether enough has been seen.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.completions >= self.window
    }

    /// Ends the window: its means and ratios are those that hold from now on.
    pub(super) fn close(&mut self) {
        let arrivals: u64 = self.classes.iter().map(|class| class.arrivals).sum();
        for class in &mut self.classes {
            let weight = if class.mean.is_some() { WEIGHT_OF_THE_PAST } else { 0.0 };
            let completions = class.completions as f64 + weight;
            if class.completions > 0 {
                let past = class.mean.unwrap_or(0.0) * weight;
                class.mean = Some((class.service as f64 + past) / completions);
            }
            class.ratio = class.arrivals as f64 / arrivals.max(1) as f64;
            *class = ClassProfile { arrivals: 0, completions: 0, service: 0, ..*class };
        }
        self.completions = 0;
    }

    /// The mean service time of a class in ticks, by the windows closed.
    #[inline]
    pub(super) fn mean(&self, class: usize) -> Option<f64> {
        self.classes.get(class)?.mean
    }

    /// What a class contributes to the mean service time of all, in ticks; 0 when it did not occur.
    pub(super) fn contribution(&self, class: usize) -> f64 {
        self.classes[class].mean.unwrap_or(0.0) * self.classes[class].ratio
    }

    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(profile: &mut Profile, class: usize, times: u64, service: u64) {
        for _ in 0..times {
            profile.arrived(class);
            profile.completed(class, Ticks(service));
        }
    }

    #[test]
    fn a_window_is_full_after_so_many_completions_and_gives_means_and_ratios() {
        let mut profile = Profile::new(3, 100);
        feed(&mut profile, 0, 75, 1_000);
        assert_eq!((profile.is_full(), profile.mean(0)), (false, None));
        feed(&mut profile, 1, 25, 100_000);
        assert!(profile.is_full());
        profile.close();
        assert_eq!(
            (profile.mean(0), profile.mean(1), profile.mean(2)),
            (Some(1_000.0), Some(100_000.0), None)
        );
        assert_eq!(
            (profile.contribution(0), profile.contribution(1), profile.contribution(2)),
            (750.0, 25_000.0, 0.0)
        );
    }

    #[test]
    fn a_class_that_changes_is_seen_after_one_window_and_one_that_is_gone_has_no_share() {
        let mut profile = Profile::new(2, 1_000);
        feed(&mut profile, 0, 500, 1_000);
        feed(&mut profile, 1, 500, 100_000);
        profile.close();
        feed(&mut profile, 0, 1_000, 100_000);
        profile.close();
        assert!(profile.mean(0).unwrap() > 99_000.0, "{:?}", profile.mean(0));
        assert_eq!((profile.contribution(1), profile.mean(1)), (0.0, Some(100_000.0)));
    }

    #[test]
    fn a_starved_class_counts_by_its_arrivals_and_an_unknown_one_not_at_all() {
        let mut profile = Profile::new(2, 10);
        feed(&mut profile, 0, 5, 10);
        feed(&mut profile, 1, 5, 10);
        profile.close();
        feed(&mut profile, 0, 10, 10);
        (0..10).for_each(|_| profile.arrived(1));
        feed(&mut profile, 2, 10, 10);
        profile.close();
        assert_eq!((profile.contribution(0), profile.contribution(1)), (5.0, 5.0));
    }

    #[test]
    fn an_empty_window_says_nothing() {
        let mut profile = Profile::new(2, 10);
        profile.close();
        assert_eq!((profile.mean(0), profile.contribution(0)), (None, 0.0));
    }
}
