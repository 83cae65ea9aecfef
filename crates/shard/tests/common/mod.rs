//! What the tests share.
#![allow(dead_code, clippy::unwrap_used, reason = "test helpers; each test file uses a part")]

use dz_game::{Encoding, Game, games::Connect4};
use dz_shard::{GameRecord, SHARD_LEVEL, ShardHeader, ShardWriter};

pub fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).unwrap()
}

pub fn header<G: Game>(game: &G, games_per_shard: u64) -> ShardHeader {
    ShardHeader {
        game: game.spec().to_string(),
        encoding: game.encoding().id(),
        generation: 3,
        number: 0,
        games_per_shard,
        run_seed: 7,
        config_hash: "00ff".to_owned(),
        evaluators: vec!["uniform".to_owned(), "cpu-f32".to_owned()],
        networks: vec!["none".to_owned(), "abcd".to_owned(), "ef01".to_owned()],
        own_komi: false,
    }
}

pub fn shard(header: ShardHeader, games: impl IntoIterator<Item = GameRecord>) -> Vec<u8> {
    let mut writer = ShardWriter::new(Vec::new(), header, SHARD_LEVEL).unwrap();
    for game in games {
        writer.push(game).unwrap();
    }
    writer.finish().unwrap().0
}
