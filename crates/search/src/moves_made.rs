//! The moves of one playout, by player.

/// Which moves were made by whom, by the stamp of the playout.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovesMade {
    made: Vec<[u32; 2]>,
    stamp: u32,
}

impl MovesMade {
    pub(crate) fn begin(&mut self) {
        if self.stamp == u32::MAX {
            self.made.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    pub(crate) fn make(&mut self, player: usize, mv: u16) {
        let index = usize::from(mv);
        if index >= self.made.len() {
            self.made.resize(index + 1, [0; 2]);
        }
        self.made[index][player] = self.stamp;
    }

    pub(crate) fn was_made(&self, player: usize, mv: u16) -> bool {
        self.made.get(usize::from(mv)).is_some_and(|stamps| stamps[player] == self.stamp)
    }
}
