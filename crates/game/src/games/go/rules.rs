//! Parameters of Go and their text.

use super::board::SIZE_MAX;
use crate::{GameError, GameSpec, Komi};

/// Which repetitions are illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Superko {
    /// A stone may not recreate the board of any earlier position.
    Positional,
    /// A stone may not recreate the board of an earlier position with the same player to move.
    Situational,
    /// Only the immediate recapture of a single stone by a single stone is illegal. Longer cycles
    /// may go on for ever.
    Simple,
}

impl Superko {
    const ALL: [Self; 3] = [Self::Positional, Self::Situational, Self::Simple];

    /// The parameter's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Positional => "positional",
            Self::Situational => "situational",
            Self::Simple => "simple",
        }
    }
}

/// All parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub size: u8,
    pub komi: Komi,
    pub suicide: bool,
    pub superko: Superko,
    /// Plies within which a forgotten position cannot come back, see `Go::node_key`.
    pub repetition_bound: u8,
    /// Past positions that the network sees.
    pub history_planes: u8,
}

/// `KataGo`'s default of `graphSearchRepBound`.
const REPETITION_BOUND: u8 = 11;
/// As many as networks of `AlphaGo` Zero see beside the current one (Silver et al. 2017, "Mastering
/// the game of Go without human knowledge", Methods, Neural network architecture).
const HISTORY_PLANES_MAX: u8 = 7;

impl Rules {
    const KEYS: &'static [&'static str] =
        &["size", "komi", "suicide", "superko", "repetition_bound", "history_planes"];

    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(Self::KEYS)?;
        let given = |key: &str| spec.parameter(key);
        let komi = given("komi").map_or(Ok(Komi { halves: 14 }), |text| {
            Komi::parse(text).ok_or_else(|| {
                reader.bad("komi", text, "allowed: whole and half points, -361 to 361")
            })
        });
        Ok(Self {
            size: reader.number("size", 9, 2..=SIZE_MAX)?,
            komi: komi?,
            suicide: reader.flag("suicide", false)?,
            superko: reader.choice("superko", &Superko::ALL, Superko::name)?,
            repetition_bound: reader.number("repetition_bound", REPETITION_BOUND, 3..=255)?,
            history_planes: reader.number("history_planes", 0, 0..=HISTORY_PLANES_MAX)?,
        })
    }

    /// These change what search shares and what networks see, but no rule, so they are named only
    /// where they are unusual.
    fn beside_rules(&self) -> [(bool, &'static str, String); 2] {
        let Self { repetition_bound: bound, history_planes: seen, .. } = self;
        [
            (*bound != REPETITION_BOUND, "repetition_bound", bound.to_string()),
            (*seen != 0, "history_planes", seen.to_string()),
        ]
    }

    /// Parameters that the name leaves out.
    pub fn unnamed(&self) -> Vec<(&'static str, String)> {
        let usual = self.beside_rules().into_iter().filter(|(named, ..)| !named);
        usual.map(|(_, key, value)| (key, value)).collect()
    }

    /// The canonical name.
    pub fn spec(&self) -> GameSpec {
        let mut parameters = vec![
            ("size", self.size.to_string()),
            ("komi", self.komi.to_string()),
            ("suicide", self.suicide.to_string()),
            ("superko", self.superko.name().to_owned()),
        ];
        let unusual = self.beside_rules().into_iter().filter(|(named, ..)| *named);
        parameters.extend(unusual.map(|(_, key, value)| (key, value)));
        GameSpec::new("go", &parameters)
    }
}
