//! A search of which every piece takes long.

use std::{cell::Cell, rc::Rc, time::Duration};

use dz_frontends::{Clock, Gtp, Limits, Resignation};
use dz_game::GameSpec;

use crate::common::{Eyes, ask, session};

/// 30 milliseconds pass with every look; how many passed can be seen from outside.
struct Slow(Rc<Cell<u64>>);

impl Clock for Slow {
    fn now(&self) -> Duration {
        self.0.set(self.0.get() + 30);
        Duration::from_millis(self.0.get())
    }
}

#[test]
fn no_batch_is_begun_that_would_come_too_late() {
    let passed = Rc::new(Cell::new(0));
    let limits =
        Limits { playouts: None, time: Some(Duration::from_millis(100)), default_playouts: 1_000 };
    let spec: GameSpec = "connect4".parse().expect("a game");
    let first = session(&spec, Eyes::Uniform).expect("a session");
    let maker = Box::new(|spec: &GameSpec| session(spec, Eyes::Uniform));
    let clock = Box::new(Slow(Rc::clone(&passed)));
    let mut gtp = Gtp::new(first, maker, clock, limits, Resignation::default());
    ask(&mut gtp, "genmove b");
    // Asked for at 30 ms, the move is due at 130. A piece has ended at 120, the next would at 150.
    // Printing the move is a look.
    assert!(passed.get() <= 130 + 30, "{} ms", passed.get());
}
