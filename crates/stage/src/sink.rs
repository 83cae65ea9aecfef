//! Where events go.

use crate::event::Event;

/// Something that shows, sends or keeps events.
pub trait Sink {
    /// Takes one event.
    fn accept(&mut self, event: &Event);
}
