//! Rows from games.

use dz_game::{Encoding, Game, PlaneWriter, Symmetry};

use crate::{
    GameRecord, PlyRecord, Position, Row, RowBlock, RowShape, SearchKind, ShardError, WdlShares,
    Weight, replay_with, shares_of_counts,
};

impl RowShape {
    /// The shape of an encoding's rows.
    pub fn of(encoding: &impl Encoding) -> Self {
        Self { planes: encoding.planes(), policy_len: encoding.policy_len() }
    }
}

/// Replays a game and adds a row to `rows` for each recorded ply whose weight is not 0.
///
/// The policy target is the recorded target, or else the visits in proportion. Plies of fast
/// searches, and plies without visits or target, have policy weight 0. Rows are in identity
/// orientation; [`crate::SymmetryTables`] say how to turn them.
///
/// # Errors
/// [`ShardError::Replay`] if the rules do not allow the game, [`ShardError::Shape`] if `rows` are of
/// another shape.
pub fn rows_of_game<G: Game>(
    game: &G,
    record: &GameRecord,
    rows: &mut RowBlock,
) -> Result<(), ShardError> {
    let encoding = game.encoding();
    if RowShape::of(&encoding) != rows.shape() {
        return Err(ShardError::Shape { what: format!("{:?}, {}", rows.shape(), encoding.id()) });
    }
    let mut maker = RowMaker { encoding, record, scratch: Scratch::new(rows.shape()) };
    replay_with(game, record, |position, ply| maker.add(position, ply, rows))
}

struct RowMaker<'a, G: Game> {
    encoding: G::Encoding,
    record: &'a GameRecord,
    scratch: Scratch,
}

struct Scratch {
    bits: Vec<u8>,
    globals: Vec<f32>,
    counts: Vec<u32>,
    index: Vec<u16>,
    share: Vec<u16>,
}

impl Scratch {
    fn new(shape: RowShape) -> Self {
        Self {
            bits: vec![0; shape.planes.packed_bytes()],
            globals: vec![0.0; shape.planes.globals],
            counts: Vec::new(),
            index: Vec::new(),
            share: Vec::new(),
        }
    }
}

impl<G: Game> RowMaker<'_, G> {
    fn add(
        &mut self,
        position: &Position<G>,
        ply: &PlyRecord,
        rows: &mut RowBlock,
    ) -> Result<(), ShardError> {
        let bad =
            |what: &str| ShardError::BadRecord { game: self.record.number, what: what.into() };
        let weight = Weight::new(ply.weight).ok_or_else(|| bad("weight out of range"))?;
        if weight == Weight::ZERO {
            return Ok(());
        }
        let root_value = WdlShares::new(ply.root_value).ok_or_else(|| bad("root value"))?;
        let outcome = WdlShares::new(self.record.outcome.wdl_for(position.mover))
            .ok_or_else(|| bad("outcome"))?;
        self.target(position, ply);
        let scratch = &mut self.scratch;
        let mut writer =
            PlaneWriter::new(rows.shape().planes, &mut scratch.bits, &mut scratch.globals);
        let Position { state, history, .. } = position;
        self.encoding.encode(state, history, Symmetry::IDENTITY, &mut writer);
        let has_target = ply.kind == SearchKind::Full && !scratch.index.is_empty();
        rows.push(&Row {
            bits: &scratch.bits,
            globals: &scratch.globals,
            policy_index: &scratch.index,
            policy_share: &scratch.share,
            outcome,
            root_value,
            policy_weight: if has_target { weight } else { Weight::ZERO },
            value_weight: weight,
            game: self.record.number,
            ply: position.ply,
        });
        Ok(())
    }

    /// Puts the policy target of a ply into the scratch columns.
    fn target(&mut self, position: &Position<G>, ply: &PlyRecord) {
        let scratch = &mut self.scratch;
        scratch.index.clear();
        scratch.counts.clear();
        let index = |mv| self.encoding.policy_index(&position.state, mv, Symmetry::IDENTITY) as u16;
        if let Some(target) = &ply.target {
            scratch.index.extend(target.iter().map(|&(mv, _)| index(mv)));
            scratch.counts.extend(target.iter().map(|&(_, share)| u32::from(share)));
        } else {
            scratch.index.extend(ply.visits.iter().map(|&(mv, _)| index(mv)));
            scratch.counts.extend(ply.visits.iter().map(|&(_, count)| count));
        }
        shares_of_counts(&scratch.counts, &mut scratch.share);
    }
}
