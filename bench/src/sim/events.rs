//! The moments at which something happens next: one per worker, one of the dispatcher.

/// No moment.
pub(super) const NEVER: u64 = u64::MAX;

/// One moment per place, and the earliest of all at hand: a tournament in which a change replays the matches on
/// one way up. Of equal moments the one of the lower place comes first.
pub(super) struct Events {
    at: Vec<u64>,
    /// The winner of each match; match 1 is the final, the children of match `n` are `2n` and `2n + 1`.
    winners: Vec<u16>,
}

impl Events {
    /// For `places` places, all at [`NEVER`].
    pub(super) fn new(places: usize) -> Self {
        let leaves = places.next_power_of_two().max(2);
        let mut winners = vec![0; 2 * leaves];
        for (place, winner) in winners[leaves..].iter_mut().enumerate() {
            *winner = place as u16;
        }
        for game in (1..leaves).rev() {
            winners[game] = winners[2 * game];
        }
        Self { at: vec![NEVER; leaves], winners }
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize, at: u64) {
        if self.at[place] == at {
            return;
        }
        self.at[place] = at;
        let mut game = (self.at.len() + place) / 2;
        while game > 0 {
            let (left, right) = (self.winners[2 * game], self.winners[2 * game + 1]);
            let right_wins = self.at[usize::from(right)] < self.at[usize::from(left)];
            self.winners[game] = if right_wins { right } else { left };
            game /= 2;
        }
    }

    /// The moment of `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> u64 {
        self.at[place]
    }

    /// The place whose moment is next.
    #[inline]
    pub(super) fn first(&self) -> usize {
        usize::from(self.winners[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_earliest_is_first_whatever_changes() {
        for places in [1, 2, 5, 17, 64, 65] {
            let mut events = Events::new(places);
            let mut plain = vec![NEVER; places];
            let mut random = ChaCha8Rng::seed_from_u64(places as u64);
            for _ in 0..2_000 {
                let place = random.next_u32() as usize % places;
                let at = if random.next_u32().is_multiple_of(4) { NEVER } else { random.next_u64() % 50 };
                events.set(place, at);
                plain[place] = at;
                let earliest = *plain.iter().min().unwrap();
                assert_eq!(events.at(events.first()), earliest);
                if earliest != NEVER {
                    assert_eq!(Some(events.first()), plain.iter().position(|&at| at == earliest));
                }
            }
        }
    }
}
