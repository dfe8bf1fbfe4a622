//! What things cost: the parameters in which machines and mechanisms differ.
//!
//! ```text
//!   dispatcher   admit          assign            arm            collect
//!                  |              |                |                ^
//!                  v              |   handoff      |   notify       |   give_back
//!                queue            +----> inbox     +----> line      |
//!                                          |                |       |
//!   worker                               begin  work ... granularity, yield_ -> outbox
//! ```

use serde::{Deserialize, Serialize};

/// Costs in nanoseconds. The default is nothing costs anything.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Costs {
    /// Time of the dispatcher to take one request in and queue it.
    pub admit: u64,
    /// Time of the dispatcher to choose a worker and a request, and to push it.
    pub assign: u64,
    /// Time of the dispatcher to take back a request that was answered or preempted.
    pub collect: u64,
    /// Time of the dispatcher to signal the end of one turn.
    pub arm: u64,
    /// From the push until a worker that waits for it has the request.
    pub handoff: u64,
    /// From a turn's end until the dispatcher can see it.
    pub give_back: u64,
    /// Time of a worker to enter a request that it holds: switch of stacks, move out of the inbox.
    pub begin: u64,
    /// Time of a worker to leave a request that is answered: the reply, the move into the outbox.
    pub finish: u64,
    /// From the signal until the worker could see it.
    pub notify: u64,
    /// Time between two probes: how long the worker goes on at most before it looks.
    pub granularity: u64,
    /// Time of a worker that a preemption takes: receiving the signal, leaving the stack, the move.
    #[serde(rename = "yield")]
    pub yield_: u64,
    /// How far ahead of the end of the quantum the signal is given.
    pub lead: u64,
    /// What code with probes takes more, as a share: 0.01 is one percent.
    pub work: f64,
    /// The same of the dispatcher's build of the application.
    pub dispatcher_work: f64,
    /// What is added to each sojourn outside of the server: the network's round trip.
    pub network: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            admit: 0,
            assign: 0,
            collect: 0,
            arm: 0,
            handoff: 0,
            give_back: 0,
            begin: 0,
            finish: 0,
            notify: 0,
            granularity: 0,
            yield_: 0,
            lead: 0,
            work: 0.0,
            dispatcher_work: 0.0,
            network: 0,
        }
    }
}
