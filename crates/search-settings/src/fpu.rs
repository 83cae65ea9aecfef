//! First-play urgency: the value of a move without visits.

use dz_config_keys::{
    Fault, Field, Limits, Table, TableReader, Value, choice, real, schema::object,
};
use serde::{Deserialize, Serialize};

/// First-play urgency: the mover's value of a move without visits (Gelly and Wang 2006 for the
/// name).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstPlay {
    /// This value, in [-1, 1]: -1 is a loss until tried, as in AlphaZero's pseudo-code (0 on its
    /// scale of [0, 1]); 0 is a draw.
    Absolute(f64),
    /// The node's own average, no reduction.
    Parent,
    /// The average less `reduction` * sqrt(visited mass). KataGo 0.2 (0 at self-play's root), lc0
    /// 0.33.
    Reduction(f64),
    /// KataGo's whole rule.
    KataGo(KataGoFirstPlay),
}

/// The three steps of KataGo's first-play urgency, in this order: the parent's value is mixed,
/// reduced, and pulled towards a loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KataGoFirstPlay {
    /// Exponent of the visited mass m in the mix m^power * average + (1 - m^power) * own, at least
    /// 0 (`fpuParentWeightByVisitedPolicyPow`, 2 there); none: the average alone.
    pub mix_power: Option<f64>,
    /// Times sqrt(m), taken off (`fpuReductionMax`, 0.2; at the root 0 in self-play, 0.1 in
    /// matches).
    pub reduction: f64,
    /// Share in [0, 1] of a loss, -1, blended in last (`fpuLossProp`, 0 there).
    pub loss_share: f64,
}

choice! {
    /// What `kind` may be in the file.
    enum Kind {
        /// See [`FirstPlay::Reduction`].
        Reduction = "reduction",
        /// See [`FirstPlay::Absolute`].
        Absolute = "absolute",
        /// See [`FirstPlay::Parent`].
        Parent = "parent",
        /// See [`FirstPlay::KataGo`].
        KataGo = "katago",
    }
}

const ALLOWED: &str = r#"{ kind = "reduction" or "absolute", value = a number from -1 to 1 } or { kind = "parent" } or { kind = "katago", reduction = a number from -1 to 1, loss_share = a number from 0 to 1, mix_power = a number from 0 to 10, or left out for none }"#;
const VALUE: Limits = real(-1.0, 1.0);
const SHARE: Limits = real(0.0, 1.0);
const POWER: Limits = real(0.0, 10.0);

impl Field for FirstPlay {
    fn allowed(_: &Limits) -> String {
        ALLOWED.to_owned()
    }

    fn stand_in(_: &Limits) -> Self {
        Self::Absolute(0.0)
    }

    fn read(key: &str, value: &Value, _: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let mut table = TableReader::open(key, value, ALLOWED, faults)?;
        let kind = table.take::<Kind>("kind", &Limits::Any);
        let fpu = match kind {
            Some(Kind::Absolute) => table.take("value", &VALUE).map(Self::Absolute),
            Some(Kind::Reduction) => table.take("value", &VALUE).map(Self::Reduction),
            Some(Kind::Parent) => Some(Self::Parent),
            Some(Kind::KataGo) => read_katago(&mut table),
            None => {
                // Which other keys belong here is not known without the kind.
                for name in ["value", "reduction", "loss_share", "mix_power"] {
                    table.ignore(name);
                }
                None
            }
        };
        table.close();
        fpu
    }

    fn write(&self) -> Value {
        let mut table = Table::new();
        let mut put = |key: &str, value: Value| table.insert(key.to_owned(), value);
        let kind = match self {
            Self::Absolute(_) => Kind::Absolute,
            Self::Parent => Kind::Parent,
            Self::Reduction(_) => Kind::Reduction,
            Self::KataGo(_) => Kind::KataGo,
        };
        put("kind", kind.write());
        match self {
            Self::Absolute(value) | Self::Reduction(value) => {
                put("value", value.write());
            }
            Self::Parent => {}
            Self::KataGo(KataGoFirstPlay { mix_power, reduction, loss_share }) => {
                put("reduction", reduction.write());
                put("loss_share", loss_share.write());
                if let Some(power) = mix_power {
                    put("mix_power", power.write());
                }
            }
        }
        Value::Table(table)
    }

    fn schema(_: &Limits) -> Table {
        let kind = Kind::schema(&Limits::Any);
        let keys = [
            ("kind", kind),
            ("value", f64::schema(&VALUE)),
            ("reduction", f64::schema(&VALUE)),
            ("loss_share", f64::schema(&SHARE)),
            ("mix_power", f64::schema(&POWER)),
        ];
        object(keys, &["kind"])
    }
}

fn read_katago(table: &mut TableReader<'_>) -> Option<FirstPlay> {
    let reduction = table.take::<f64>("reduction", &VALUE);
    let loss_share = table.take::<f64>("loss_share", &SHARE);
    let mix_power =
        if table.has("mix_power") { Some(table.take::<f64>("mix_power", &POWER)?) } else { None };
    let reduction = reduction?;
    let loss_share = loss_share?;
    Some(FirstPlay::KataGo(KataGoFirstPlay { mix_power, reduction, loss_share }))
}
