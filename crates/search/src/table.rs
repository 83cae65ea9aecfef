//! Node ids by key: open addressing with linear probing, at most half full.

use dz_game::Key;

use crate::{memory::bytes_of, node::NodeId};

/// A slot holds 32 bits of the key and the node's id plus one; 0 is empty.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: u32,
    id_plus_one: u32,
}

/// The table. Keys themselves stay in the arena and are compared in full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    slots: Vec<Slot>,
    used: usize,
}

const FIRST_SLOTS: usize = 64;

impl Table {
    pub(crate) fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.used = 0;
    }

    /// The node with this key; `keys` are the arena's.
    pub(crate) fn get(&self, key: Key, keys: &[Key]) -> Option<NodeId> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut place = key.low as usize & mask;
        loop {
            let slot = self.slots[place];
            let id = slot.id_plus_one.checked_sub(1)?;
            if slot.tag == (key.high as u32) && keys[id as usize] == key {
                return Some(NodeId(id));
            }
            place = (place + 1) & mask;
        }
    }

    /// Makes room for so many more nodes at once.
    pub(crate) fn reserve(&mut self, nodes: usize, keys: &[Key]) {
        let slots = (2 * (self.used + nodes)).next_power_of_two().max(FIRST_SLOTS);
        if slots > self.slots.len() {
            self.grow(slots, keys);
        }
    }

    fn grow(&mut self, slots: usize, keys: &[Key]) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        for slot in old.into_iter().filter(|slot| slot.id_plus_one != 0) {
            self.place(keys[slot.id_plus_one as usize - 1], slot);
        }
    }

    /// Adds a node whose key is not yet in the table.
    pub(crate) fn insert(&mut self, key: Key, id: NodeId, keys: &[Key]) {
        if 2 * (self.used + 1) > self.slots.len() {
            self.grow((2 * self.slots.len()).max(FIRST_SLOTS), keys);
        }
        self.used += 1;
        self.place(key, Slot { tag: key.high as u32, id_plus_one: id.0 + 1 });
    }

    fn place(&mut self, key: Key, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = key.low as usize & mask;
        while self.slots[place].id_plus_one != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.slots)
    }
}

#[cfg(test)]
mod tests {
    use dz_game::mix64;

    use super::*;

    /// Keys that agree in the bits that a slot compares or that choose the slot are still distinct.
    #[test]
    fn the_table_compares_whole_keys() {
        let mut table = Table::default();
        let mut keys: Vec<Key> = Vec::new();
        let clash = |i: u64| Key { high: 7 | (i % 3) << 32, low: 5 | i << 40 };
        for i in 0..1000 {
            let key = if i % 2 == 0 { clash(i) } else { Key { high: mix64(i), low: mix64(!i) } };
            assert_eq!(table.get(key, &keys), None);
            keys.push(key);
            table.insert(key, NodeId(i as u32), &keys);
        }
        for (i, &key) in keys.iter().enumerate() {
            assert_eq!(table.get(key, &keys), Some(NodeId(i as u32)));
        }
        table.clear();
        assert_eq!(table.get(keys[0], &keys), None);
    }
}
