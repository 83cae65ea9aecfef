//! Rows from games.

use dz_game::{Encoding, Game, PlaneWriter, Symmetry};

use crate::{
    AuxTargets, GameRecord, PlyRecord, Position, Row, RowBlock, RowShape, RowTargets, SearchKind,
    ShardError, WdlShares, Weight, aux_builder::AuxBuilder, is_offered, replay::replay_to_end,
    shares_of_counts,
};

impl RowShape {
    /// The shape of an encoding's rows, with policy and value alone.
    pub fn of(encoding: &impl Encoding) -> Self {
        let planes = encoding.planes();
        let policy_len = encoding.policy_len();
        Self { planes, policy_len, targets: RowTargets::NONE }
    }

    /// Refuses targets that the encoding does not offer, such as the margin of a game without
    /// points.
    ///
    /// # Errors
    /// [`ShardError::NoTarget`] with the first.
    pub fn check_offered(self, encoding: &impl Encoding) -> Result<(), ShardError> {
        let offered = encoding.targets();
        match self.targets.iter().find(|&head| !is_offered(head, offered)) {
            Some(target) => Err(ShardError::NoTarget { encoding: encoding.id(), target }),
            None => Ok(()),
        }
    }
}

/// Replays a game and adds a row to `rows` for each recorded ply whose weight is not 0.
///
/// The policy target is the recorded target, or else the visits in proportion. Plies of fast
/// searches, and plies without visits or target, have policy weight 0. Rows are in identity
/// orientation; [`crate::SymmetryTables`] say how to turn them. The shape of `rows` says which
/// auxiliary targets they carry.
///
/// # Errors
/// [`ShardError::Replay`] if the rules do not allow the game, [`ShardError::Shape`] if `rows` are
/// of another shape, [`ShardError::NoTarget`] if the game does not offer their targets. The block
/// must not be used then: it may hold a part of the game.
pub fn rows_of_game<G: Game>(
    game: &G,
    record: &GameRecord,
    rows: &mut RowBlock,
) -> Result<(), ShardError> {
    let encoding = game.encoding();
    let shape = rows.shape();
    if RowShape::of(&encoding).carrying(shape.targets) != shape {
        return Err(ShardError::Shape { what: format!("{shape:?}, {}", encoding.id()) });
    }
    shape.check_offered(&encoding)?;
    let aux = (!shape.targets.is_empty()).then(AuxBuilder::default);
    let mut maker = RowMaker { encoding, record, scratch: Scratch::new(shape), aux };
    let end = replay_to_end(game, record, |position, ply| maker.add(position, ply, rows))?;
    if let Some(aux) = &maker.aux {
        aux.finish(&maker.encoding, record, &end, rows);
    }
    Ok(())
}

struct RowMaker<'a, G: Game> {
    encoding: G::Encoding,
    record: &'a GameRecord,
    scratch: Scratch,
    /// Where rows have auxiliary targets.
    aux: Option<AuxBuilder>,
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
        let has_row = weight != Weight::ZERO;
        if !has_row && self.aux.is_none() {
            return Ok(());
        }
        self.target(position, ply);
        let has_target = ply.kind == SearchKind::Full && !self.scratch.index.is_empty();
        if let Some(aux) = &mut self.aux {
            let length = if has_target { self.scratch.index.len() } else { 0 };
            let index = &self.scratch.index[..length];
            let share = &self.scratch.share[..length];
            aux.add(position.mover, index, share, has_row);
        }
        if !has_row {
            return Ok(());
        }
        let root_value = WdlShares::new(ply.root_value).ok_or_else(|| bad("root value"))?;
        let outcome = WdlShares::new(self.record.outcome.wdl_for(position.mover))
            .ok_or_else(|| bad("outcome"))?;
        let scratch = &mut self.scratch;
        let mut writer =
            PlaneWriter::new(rows.shape().planes, &mut scratch.bits, &mut scratch.globals);
        let Position { state, history, .. } = position;
        self.encoding.encode(state, history, Symmetry::IDENTITY, &mut writer);
        rows.push_without_aux(&Row {
            bits: &scratch.bits,
            globals: &scratch.globals,
            policy_index: &scratch.index,
            policy_share: &scratch.share,
            outcome,
            root_value,
            policy_weight: if has_target { weight } else { Weight::ZERO },
            value_weight: if ply.flags & PlyRecord::POLICY_ONLY == 0 {
                weight
            } else {
                Weight::ZERO
            },
            game: self.record.number,
            ply: position.ply,
            aux: AuxTargets::default(),
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
