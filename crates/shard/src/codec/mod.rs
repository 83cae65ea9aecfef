//! Games to columns and back. Names of columns are the format; `data/README.md` lists them.

mod codes;
mod decode;
mod plies;

use crate::{GameRecord, ShardError, columns::Columns};

use codes::{end_code, winner_code, zigzag};
pub(crate) use decode::{decode, unpacked_bytes};

/// The columns of whole games, which may have a komi of their own only where that is said.
pub(crate) fn encode(games: &[GameRecord], own_komi: bool) -> Result<Columns, ShardError> {
    let mut columns = Columns::default();
    encode_games(games, &mut columns);
    if own_komi {
        columns.numbers("komi_given", games.iter().map(|game| u64::from(game.komi.is_some())));
        let komi = games.iter().filter_map(|game| game.komi);
        columns.numbers("komi", komi.map(|komi| u64::from(zigzag(komi.halves))));
    }
    plies::encode(games, &mut columns)?;
    Ok(columns)
}

fn encode_games(games: &[GameRecord], columns: &mut Columns) {
    let column = |of: fn(&GameRecord) -> u64| games.iter().map(of);
    columns.differences("game", column(|game| game.number));
    columns.numbers("seed", column(|game| game.seed));
    columns.numbers("evaluator", column(|game| u64::from(game.evaluator)));
    columns.numbers("winner", column(|game| winner_code(game.outcome.winner)));
    columns.numbers("margin_given", column(|game| u64::from(game.outcome.margin.is_some())));
    let margins = games.iter().filter_map(|game| game.outcome.margin);
    columns.numbers("margin", margins.map(|margin| u64::from(zigzag(margin))));
    columns.numbers("end", column(|game| end_code(game.end)));
    columns.numbers("start_len", column(|game| game.start_moves.len() as u64));
    let start_moves = games.iter().flat_map(|game| &game.start_moves);
    columns.numbers("start_move", start_moves.map(|mv| u64::from(mv.0)));
    columns.numbers("parent_given", column(|game| u64::from(game.parent.is_some())));
    let parents = || games.iter().filter_map(|game| game.parent);
    columns.numbers("parent_game", parents().map(|parent| parent.game));
    columns.numbers("parent_ply", parents().map(|parent| u64::from(parent.ply)));
    columns.numbers("resign_given", column(|game| u64::from(game.resign.is_some())));
    let resigns = || games.iter().filter_map(|game| game.resign);
    columns.numbers("resign_value", resigns().map(|r| u64::from(r.value_min.to_bits())));
    columns.numbers("resign_turns", resigns().map(|r| u64::from(r.turns)));
    columns.numbers("resign_enforced", resigns().map(|r| u64::from(r.enforced)));
    columns.numbers("plies", column(|game| game.plies.len() as u64));
}

#[cfg(test)]
mod tests {
    use super::codes::unzigzag;
    use super::*;

    #[test]
    fn the_specification_names_every_column() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/README.md");
        let page = std::fs::read_to_string(page).expect("data/README.md is in the repository");
        let shards = &page[page.find("### Shards").unwrap()..page.find("### Row files").unwrap()];
        let game = dz_game::games::Connect4::new(7, 6, 4).unwrap();
        let narrow = crate::random_records(&game, 1, 10, 1);
        let mut wide = narrow.clone();
        wide[0].plies[0].visits = vec![(dz_game::Move(99), 1)];
        wide[0].plies[0].target = Some(vec![(dz_game::Move(99), 1)]);
        for games in [narrow, wide] {
            for name in encode(&games, true).unwrap().names() {
                assert!(shards.contains(&format!("`{name}`")), "{name} is not specified");
            }
        }
    }

    #[test]
    fn zigzag_comes_back() {
        for value in [0, 1, -1, 361, -361, i16::MAX, i16::MIN] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }
}
