//! First-play urgency: the value of a move that was never tried.

use toml::Value;

use crate::fault::Fault;
use crate::field::{Field, choice};
use crate::limits::{Limits, real};
use crate::table_field::TableReader;

/// How a move that was never tried is valued, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fpu {
    /// At this, in [-1, 1].
    Absolute(f64),
    /// At the node's value.
    Parent,
    /// At the node's value less this times the square root of the tried moves' prior.
    Reduction(f64),
    /// By KataGo's three steps.
    KataGo {
        /// Exponent of the tried moves' prior, the weight of the node's value against its own
        /// evaluation; none takes the node's value alone.
        mix_power: Option<f64>,
        /// Then taken off, times the square root of the tried moves' prior.
        reduction: f64,
        /// Share of a loss, blended in last.
        loss_share: f64,
    },
}

choice! {
    /// What `kind` may be in the file.
    enum Kind {
        /// See [`Fpu::Reduction`].
        Reduction = "reduction",
        /// See [`Fpu::Absolute`].
        Absolute = "absolute",
        /// See [`Fpu::Parent`].
        Parent = "parent",
        /// See [`Fpu::KataGo`].
        KataGo = "katago",
    }
}

const ALLOWED: &str = r#"{ kind = "reduction" or "absolute", value = a number from -1 to 1 } or { kind = "parent" } or { kind = "katago", reduction = a number from -1 to 1, loss_share = a number from 0 to 1, mix_power = a number from 0 to 10, or left out for none }"#;
const VALUE: Limits = real(-1.0, 1.0);
const SHARE: Limits = real(0.0, 1.0);
const POWER: Limits = real(0.0, 10.0);

impl Field for Fpu {
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
        let mut table = toml::Table::new();
        let mut put = |key: &str, value: Value| table.insert(key.to_owned(), value);
        let kind = match self {
            Self::Absolute(_) => Kind::Absolute,
            Self::Parent => Kind::Parent,
            Self::Reduction(_) => Kind::Reduction,
            Self::KataGo { .. } => Kind::KataGo,
        };
        put("kind", kind.write());
        match self {
            Self::Absolute(value) | Self::Reduction(value) => {
                put("value", value.write());
            }
            Self::Parent => {}
            Self::KataGo { mix_power, reduction, loss_share } => {
                put("reduction", reduction.write());
                put("loss_share", loss_share.write());
                if let Some(power) = mix_power {
                    put("mix_power", power.write());
                }
            }
        }
        Value::Table(table)
    }
}

fn read_katago(table: &mut TableReader<'_>) -> Option<Fpu> {
    let reduction = table.take::<f64>("reduction", &VALUE);
    let loss_share = table.take::<f64>("loss_share", &SHARE);
    let mix_power =
        if table.has("mix_power") { Some(table.take::<f64>("mix_power", &POWER)?) } else { None };
    Some(Fpu::KataGo { mix_power, reduction: reduction?, loss_share: loss_share? })
}
