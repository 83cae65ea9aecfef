//! The samples as one picture: memory, open files and disk over time.

use anyhow::anyhow;
use plotters::prelude::*;

use super::Sample;

/// Size of the picture, pixels.
const SIZE: (u32, u32) = (900, 840);

/// One line of a panel.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

pub(super) fn svg(samples: &[Sample]) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|e| anyhow!("{e}"))?;
        let panels = root.split_evenly((3, 1));
        let minutes = |s: &Sample| s.seconds / 60.0;
        let of_stage = |of: fn(&super::Process) -> f64| {
            let mut names: Vec<&str> = samples.iter().flat_map(Sample::stages).collect();
            names.sort_unstable();
            names.dedup();
            let line = |name: &str| Line {
                name: name.to_owned(),
                points: samples
                    .iter()
                    .filter_map(|s| Some((minutes(s), of(s.process(name)?))))
                    .collect(),
            };
            names.into_iter().map(line).collect::<Vec<_>>()
        };
        let disk = Line {
            name: "run".to_owned(),
            points: samples.iter().map(|s| (minutes(s), s.disk_bytes as f64 / 1e6)).collect(),
        };
        panel(&panels[0], "resident memory, MB", &of_stage(|p| p.resident_bytes as f64 / 1e6))?;
        panel(&panels[1], "open files", &of_stage(|p| p.open_files as f64))?;
        panel(&panels[2], "the run on disk, MB", &[disk])?;
    }
    Ok(text)
}

fn panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    lines: &[Line],
) -> anyhow::Result<()> {
    let failed = |e: DrawingAreaErrorKind<_>| anyhow!("{e}");
    let points = || lines.iter().flat_map(|line| &line.points);
    let x_max = points().map(|p| p.0).fold(1.0, f64::max);
    let y_max = points().map(|p| p.1).fold(1.0, f64::max) * 1.05;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(8)
        .x_label_area_size(30)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..x_max, 0.0..y_max)
        .map_err(failed)?;
    chart.configure_mesh().x_desc("minutes").light_line_style(WHITE).draw().map_err(failed)?;
    for (number, line) in lines.iter().enumerate() {
        let colour = Palette99::pick(number).mix(1.0);
        let series = LineSeries::new(line.points.iter().copied(), colour.stroke_width(2));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2));
        chart.draw_series(series).map_err(failed)?.label(&line.name).legend(legend);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .draw()
        .map_err(failed)
}
