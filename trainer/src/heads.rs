//! Targets of the auxiliary heads, from rows to batches.

use dz_burn_net::HeadRows;
use dz_network_file::{PerHead, TargetColumn};
use dz_shard::{Row, RowShape, SymmetryTables, ownership_shape};

/// The targets of all heads whose targets rows of this shape carry. `turns` are the game's
/// symmetries. `symmetry` maps the place of a row to the symmetry that turns it; `None` leaves the
/// row unchanged.
pub(crate) fn head_rows(
    shape: RowShape,
    rows: &[Row<'_>],
    symmetry: impl Fn(usize) -> Option<usize>,
    turns: &[SymmetryTables],
) -> PerHead<HeadRows> {
    PerHead::from_fn(|head| {
        let mut made = HeadRows::default();
        let Some(column) = head.column().filter(|_| shape.targets.has(head)) else { return made };
        for (i, row) in rows.iter().enumerate() {
            let turned = symmetry(i).map(|symmetry| &turns[symmetry]);
            let known = target(column, shape, row, turned, &mut made.targets);
            made.weights.push(if known { row.value_weight.get() } else { 0.0 });
        }
        made
    })
}

/// Appends a row's target, or as many zeros if it is not known. Returns whether it is known.
fn target(
    column: TargetColumn,
    shape: RowShape,
    row: &Row<'_>,
    tables: Option<&SymmetryTables>,
    out: &mut Vec<f32>,
) -> bool {
    let aux = &row.aux;
    let number = |number: Option<f32>, out: &mut Vec<f32>| {
        out.push(number.unwrap_or(0.0));
        number.is_some()
    };
    match column {
        TargetColumn::PliesLeft => number(aux.plies_left.map(f32::from), out),
        TargetColumn::Margin => number(aux.margin.map(f32::from), out),
        TargetColumn::ShortTerm => {
            let values = aux.short_term.unwrap_or_default();
            out.extend(values.iter().flat_map(|value| value.wdl().to_array()));
            aux.short_term.is_some()
        }
        TargetColumn::Reply => {
            let start = out.len();
            out.resize(start + shape.policy_len, 0.0);
            for (&index, &share) in aux.reply_index.iter().zip(aux.reply_share) {
                let to = tables.map_or(index, |tables| tables.policy[usize::from(index)]);
                out[start + usize::from(to)] += f32::from(share) / f32::from(u16::MAX);
            }
            !aux.reply_index.is_empty()
        }
        TargetColumn::Ownership => {
            let area = shape.planes.area();
            let Some(packed) = aux.ownership else {
                out.resize(out.len() + 3 * area, 0.0);
                return false;
            };
            let mut turned = packed.to_vec();
            if let Some(tables) = tables {
                tables.map_bits(ownership_shape(shape.planes), packed, &mut turned);
            }
            let is_set = |bit: usize| turned[bit / 8] >> (bit % 8) & 1 == 1;
            out.extend((0..area).flat_map(|p| match (is_set(p), is_set(area + p)) {
                (true, _) => [1.0, 0.0, 0.0],
                (_, true) => [0.0, 0.0, 1.0],
                _ => [0.0, 1.0, 0.0],
            }));
            true
        }
    }
}
