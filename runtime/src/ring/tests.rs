use std::collections::VecDeque;
use std::sync::Arc;

use proptest::prelude::*;

use super::spsc::ring;

proptest! {
    /// Against a queue of the standard library: same values, same order, full and empty at the same moments.
    #[test]
    fn behaves_as_a_bounded_queue(capacity in 1_usize..9, steps in prop::collection::vec(any::<bool>(), 0..200)) {
        let bound = capacity.next_power_of_two();
        let (mut producer, mut consumer) = ring(capacity);
        let mut model = VecDeque::new();
        for (value, is_push) in steps.into_iter().enumerate() {
            if is_push {
                let pushed = producer.push(value);
                prop_assert_eq!(pushed.is_ok(), model.len() < bound);
                if pushed.is_ok() {
                    model.push_back(value);
                }
            } else {
                prop_assert_eq!(consumer.is_empty(), model.is_empty());
                prop_assert_eq!(consumer.pop(), model.pop_front());
            }
        }
    }
}

#[test]
fn hands_every_value_to_another_thread_in_order() {
    const VALUES: u32 = 20_000;
    let (mut producer, mut consumer) = ring(4);
    let sender = std::thread::spawn(move || {
        for value in 0..VALUES {
            while producer.push(value).is_err() {
                std::thread::yield_now();
            }
        }
    });
    let mut expected = 0;
    while expected < VALUES {
        match consumer.pop() {
            Some(value) => {
                assert_eq!(value, expected);
                expected += 1;
            }
            None => std::thread::yield_now(),
        }
    }
    sender.join().unwrap();
}

#[test]
fn drops_what_was_not_taken() {
    let value = Arc::new(());
    let (mut producer, consumer) = ring(4);
    for _ in 0..3 {
        producer.push(Arc::clone(&value)).unwrap();
    }
    drop((producer, consumer));
    assert_eq!(Arc::strong_count(&value), 1);
}
