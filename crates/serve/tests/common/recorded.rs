//! A run with games in real shards and match files: nine cycles, of which the third also has games
//! on a second board and games with a komi of their own.

use dz_game::{AnyGame, Game, Komi};
use dz_shard::{GameRecord, SHARD_LEVEL, ShardWriter, random_header, random_records};
use dz_store::{
    Entry, Ledger, MatchPurpose, MatchResult, ObjectRef, PlayerName, Run, Stage, layout,
};

use super::{Served, config};

/// The run's own board.
pub const OWN: &str = "go:size=5,komi=7";
/// The second board.
pub const SECOND: &str = "go:size=4,komi=2";
/// Komi of the games of cycle 3.
pub const KOMI: Komi = Komi { halves: -3 };
/// Cycles with a shard each.
pub const CYCLES: u32 = 9;
/// Shards of the run.
pub const SHARDS: u64 = 10;
/// Games of a shard.
pub const GAMES: u64 = 4;

/// Where the shards of a recorded run are.
pub struct Shards {
    /// On the run's own board, one a cycle; the games of the third have a komi of their own.
    pub own: Vec<String>,
    /// On the second board.
    pub second: String,
    /// The games of a gate.
    pub gate: String,
}

/// Makes a run of this name.
pub fn recorded(served: &Served, name: &str) -> (Run, Shards) {
    let text = config(OWN);
    let text = text.replace("[selfplay]", &format!("boards = [\"{SECOND}\"]\n\n[selfplay]"));
    let text = text.replace("[network]", "[network]\nany_size = true");
    let run = served.run_of(name, &text);
    let mut selfplay = Ledger::open(&run).unwrap();
    selfplay.claim(Stage::Selfplay).unwrap();
    let mut own = Vec::new();
    for cycle in 1..=CYCLES {
        let komi = (cycle == 3).then_some(KOMI);
        let object = shard(&run, OWN, cycle, 0, komi);
        own.push(object.path.clone());
        selfplay.append(entry(cycle, 0, object, None)).unwrap();
    }
    let object = shard(&run, SECOND, 3, 1, None);
    let second = object.path.clone();
    let board = dz_game::game_ids(&SECOND.parse().unwrap()).unwrap().0;
    selfplay.append(entry(3, 1, object, Some(board))).unwrap();
    let gate = gate(&run);
    let mut driver = Ledger::open(&run).unwrap();
    driver.claim(Stage::Driver).unwrap();
    (run, Shards { own, second, gate })
}

fn entry(cycle: u32, number: u32, object: ObjectRef, board: Option<String>) -> Entry {
    Entry::Shard { cycle, generation: 0, number, games: GAMES, positions: 40, object, board }
}

fn shard(run: &Run, game: &str, cycle: u32, number: u64, komi: Option<Komi>) -> ObjectRef {
    let game = AnyGame::of(&game.parse().unwrap()).unwrap();
    let played = komi.map_or(game.clone(), |komi| game.with_komi(komi).unwrap());
    let mut header = random_header(&game, number, GAMES);
    header.own_komi = komi.is_some();
    let first = header.first_game();
    let mut writer = ShardWriter::new(Vec::new(), header, SHARD_LEVEL).unwrap();
    let seed = 10 * u64::from(cycle) + number;
    for record in random_records(&played, GAMES, 30, seed) {
        writer.push(GameRecord { number: first + record.number, komi, ..record }).unwrap();
    }
    let (bytes, _) = writer.finish().unwrap();
    run.put_create(&layout::shard_path(cycle, number), &bytes).unwrap()
}

/// Two games in which both players pass at once: white wins by komi.
fn gate(run: &Run) -> String {
    let game = AnyGame::of(&OWN.parse().unwrap()).unwrap();
    let pass = serde_json::to_string(&game.parse_move(&game.start(), "pass").unwrap()).unwrap();
    let player = |name: &str| format!("{{\"name\":\"{name}\",\"network\":null,\"search\":null}}");
    let line = |number: u64, first: &str| {
        format!(
            "{{\"number\":{number},\"first\":\"{first}\",\"opening_plies\":0,\
             \"moves\":[{pass},{pass}],\"outcome\":{{\"winner\":\"second\",\"margin\":0}},\
             \"adjudicated\":false}}\n"
        )
    };
    let header = format!(
        "{{\"kind\":\"match\",\"format\":2,\"game\":\"{}\",\"players\":[{},{}],\"games\":2,\
         \"openings\":1,\"opening_plies\":0,\"seed\":1,\"plies_max\":100}}\n",
        game.spec(),
        player("network-0002"),
        player("network-0001"),
    );
    let text = [header, line(0, "a"), line(1, "b")].concat();
    let object = run.put_create("matches/cycle-0002/gate.jsonl", text.as_bytes()).unwrap();
    let path = object.path.clone();
    let mut gatekeeper = Ledger::open(run).unwrap();
    gatekeeper.claim(Stage::Gatekeeper).unwrap();
    let result = MatchResult { games: 2, wins: 1, losses: 1, ..MatchResult::default() };
    let [a, b] = [2, 1].map(PlayerName::network);
    let purpose = MatchPurpose::Gate;
    gatekeeper.append(Entry::Match { cycle: 2, purpose, a, b, result, games: object }).unwrap();
    path
}
