//! Laws of the encoding: shapes, names, planes and the policy index.

use std::collections::BTreeSet;

use super::{LawBroken, Position, broken_at_start};
use crate::{Encoding, Game, PlaneWriter, Player, Symmetry};

/// A position as the network sees it.
#[derive(PartialEq)]
pub(super) struct Encoded {
    /// Bit-packed planes.
    pub planes: Vec<u8>,
    /// Globals as bits, so that equal means equal.
    pub globals: Vec<u32>,
}

impl Encoded {
    pub fn of<G: Game>(
        game: &G,
        state: &G::State,
        history: &G::History,
        symmetry: Symmetry,
    ) -> Self {
        let encoding = game.encoding();
        let shape = encoding.planes();
        // Not zeroed: writing a position must not depend on what stood there.
        let mut planes = vec![0xa5; shape.packed_bytes()];
        let mut globals = vec![f32::NAN; shape.globals];
        let mut writer = PlaneWriter::new(shape, &mut planes, &mut globals);
        encoding.encode(state, history, symmetry, &mut writer);
        Self { planes, globals: globals.into_iter().map(f32::to_bits).collect() }
    }
}

/// Laws that hold before any move.
pub(super) fn check_shape<G: Game>(game: &G) -> Result<(), LawBroken> {
    let encoding = game.encoding();
    let shape = encoding.planes();
    let names = encoding.plane_names();
    let globals = encoding.global_names();
    if names.len() != shape.channels || globals.len() != shape.globals {
        let detail = format!("{} names for {} planes", names.len(), shape.channels);
        let detail = format!("{detail}, {} for {} globals", globals.len(), shape.globals);
        return Err(broken_at_start("planes and globals have names", detail));
    }
    let distinct: BTreeSet<&String> = names.iter().chain(&globals).collect();
    if distinct.len() != names.len() + globals.len() {
        return Err(broken_at_start("names of planes differ", names.join(", ")));
    }
    if shape.bits() == 0 || encoding.policy_len() == 0 {
        let detail = format!("{shape:?}, policy of {}", encoding.policy_len());
        return Err(broken_at_start("planes and policy are not empty", detail));
    }
    let area = shape.height * shape.width;
    if encoding.policy_planes().is_some_and(|planes| planes * area != encoding.policy_len()) {
        let detail = format!("{:?} of {area} points", encoding.policy_planes());
        return Err(broken_at_start("planes of the policy are all of it", detail));
    }
    let id = encoding.id();
    if id.is_empty() || id.contains(char::is_whitespace) || id != game.encoding().id() {
        return Err(broken_at_start("an encoding's id is one word", format!("'{id}'")));
    }
    Ok(())
}

/// Laws at one position.
pub(super) fn check<G: Game>(here: &Position<'_, G>) -> Result<(), LawBroken> {
    let encoding = here.game.encoding();
    let shape = encoding.planes();
    let encoded = Encoded::of(here.game, here.state, here.history, Symmetry::IDENTITY);
    let padding = shape.packed_bytes() * 8 - shape.bits();
    let clean = encoded.planes.last().is_none_or(|byte| byte.leading_zeros() as usize >= padding);
    here.law("planes stay inside their shape", clean, || "a bit beyond the last plane is set")?;
    let finite = encoded.globals.iter().all(|&bits| f32::from_bits(bits).is_finite());
    here.law("globals are finite", finite, || "a global is not a finite number")?;
    check_targets(here)?;
    for symmetry in (0..here.game.symmetry_count()).map(Symmetry) {
        let mut slots = BTreeSet::new();
        for &mv in here.legal {
            let slot = encoding.policy_index(here.state, mv, symmetry);
            let fits = slot < encoding.policy_len() && slots.insert(slot);
            here.law("each move has a policy slot of its own", fits, || {
                format!("{} has slot {slot} under {symmetry:?}", here.game.format_move(mv))
            })?;
        }
    }
    Ok(())
}

/// Whose each point is at the end of a game.
pub(super) fn owners<G: Game>(game: &G, end: &G::State, symmetry: Symmetry) -> Vec<Option<Player>> {
    let mut owners = vec![None];
    game.encoding().ownership(end, symmetry, &mut owners);
    owners
}

/// A finished game has the targets that its encoding offers.
fn check_targets<G: Game>(here: &Position<'_, G>) -> Result<(), LawBroken> {
    let Some(outcome) = here.game.outcome(here.state, here.history) else { return Ok(()) };
    let encoding = here.game.encoding();
    let targets = encoding.targets();
    here.law(
        "outcomes have a margin if it is offered",
        targets.margin == outcome.margin.is_some(),
        || format!("{targets:?}, but the margin is {:?}", outcome.margin),
    )?;
    let owners = owners(here.game, here.state, Symmetry::IDENTITY);
    let points = if targets.ownership { encoding.planes().area() } else { 0 };
    here.law("points have owners if that is offered", owners.len() == points, || {
        format!("{targets:?}, but there are {} owners", owners.len())
    })?;
    let points_of = |player| owners.iter().filter(|&&owner| owner == Some(player)).count() as i32;
    let owned = points_of(Player::First) - points_of(Player::Second);
    let both = targets.ownership && targets.margin;
    here.law(
        "owned points make the margin",
        !both || outcome.margin.map(i32::from) == Some(owned),
        || format!("{owned} of them and a margin of {:?}", outcome.margin),
    )
}
