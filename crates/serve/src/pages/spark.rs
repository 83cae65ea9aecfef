//! A curve without axes.

use maud::{Markup, html};

const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 44.0;
const MARGIN: f64 = 4.0;

/// The curve through points (x, y); `title` says what it shows.
pub(crate) fn sparkline(points: &[[f64; 2]], title: &str) -> Markup {
    let finite = |point: &&[f64; 2]| point.iter().all(|value| value.is_finite());
    let points: Vec<[f64; 2]> = points.iter().filter(finite).copied().collect();
    let bounds = |axis: usize| {
        let values = points.iter().map(|point| point[axis]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (left, right) = bounds(0);
    let (low, high) = bounds(1);
    let scaled = |value: f64, from: f64, to: f64, size: f64| {
        let span = if to > from { to - from } else { 1.0 };
        MARGIN + (size - 2.0 * MARGIN) * (value - from) / span
    };
    let place = |[x, y]: [f64; 2]| {
        let y = HEIGHT - scaled(y, low, high, HEIGHT);
        [scaled(x, left, right, WIDTH), y].map(|value| format!("{value:.1}"))
    };
    let places: Vec<[String; 2]> = points.into_iter().map(place).collect();
    let line: Vec<String> = places.iter().map(|place| place.join(",")).collect();
    html! {
        svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            @if let Some([x, y]) = places.last() {
                polyline points=(line.join(" ")) {}
                circle cx=(x) cy=(y) r="3" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    #[test]
    fn one_point_and_none_are_drawn_too() {
        assert!(!sparkline(&[], "Elo").into_string().contains("polyline"));
        let one = sparkline(&[[5.0, 7.0], [f64::NAN, 1.0]], "Elo").into_string();
        assert!(one.contains("points=\"4.0,40.0\"") && !one.contains("NaN"), "{one}");
        let two = sparkline(&[[0.0, 0.0], [1.0, 9.0]], "a<b").into_string();
        assert!(two.contains("4.0,40.0 156.0,4.0") && two.contains("a&lt;b"), "{two}");
    }
}
