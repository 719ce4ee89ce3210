//! Plots of growth: both axes logarithmic, one line for each series, as a small SVG.

use std::fmt::Write;

/// A line of a plot: its name, and its points as size and seconds.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the line.
    pub name: String,
    /// Points: size and seconds.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 670.0;
const HEIGHT: f64 = 400.0;
/// Space for the numbers on the left and below, and for names on the right and the title above.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d3b"];

/// Draws the series. A dashed line shows what growing in proportion would look like.
///
/// # Panics
/// Never: writing to a text does not fail.
#[must_use]
pub fn plot(title: &str, size: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|each| each.points.iter());
    let decades = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value.log10()), high.max(value.log10()))
        });
        (low.floor(), high.ceil().max(low.floor() + 1.0))
    };
    let (x0, x1) = decades(&mut points().map(|point| point.0));
    let (y0, y1) = decades(&mut points().map(|point| point.1));
    let x = |log: f64| LEFT + (log - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
    let y = |log: f64| HEIGHT - BOTTOM - (log - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{title}</text>\n"
    );
    let mut draw = |line: String| writeln!(svg, "{line}").expect("a text");
    for decade in x0 as i32..=x1 as i32 {
        let (at, top, foot) = (x(decade.into()), y(y1), y(y0));
        draw(format!("<path d=\"M{at:.1} {foot:.1}V{top:.1}\" stroke=\"#ddd\"/>"));
        let (below, number) = (foot + 18.0, thousands(10_u64.pow(decade.unsigned_abs())));
        draw(format!(
            "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{number}</text>"
        ));
    }
    for decade in y0 as i32..=y1 as i32 {
        let (at, from, to) = (y(decade.into()), x(x0), x(x1));
        draw(format!("<path d=\"M{from:.1} {at:.1}H{to:.1}\" stroke=\"#ddd\"/>"));
        let (left, low, name) = (from - 8.0, at + 4.0, seconds(decade));
        draw(format!("<text x=\"{left:.1}\" y=\"{low:.1}\" text-anchor=\"end\">{name}</text>"));
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let foot = HEIGHT - 12.0;
    draw(format!("<text x=\"{middle}\" y=\"{foot}\" text-anchor=\"middle\">{size}</text>"));
    // One decade up for one to the right, through the lower left corner.
    let rise = (x1 - x0).min(y1 - y0);
    let (from, to) = ((x(x0), y(y0)), (x(x0 + rise), y(y0 + rise)));
    draw(format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>",
        from.0, from.1, to.0, to.1
    ));
    for (number, each) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let at: Vec<(f64, f64)> =
            each.points.iter().map(|(size, time)| (x(size.log10()), y(time.log10()))).collect();
        let path: Vec<String> = at.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        draw(format!(
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        ));
        for (x, y) in &at {
            draw(format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
        // Names stand one below the other, beside the plot.
        let (left, high, name) = (WIDTH - RIGHT + 12.0, TOP + 16.0 * number as f64, &each.name);
        draw(format!("<text x=\"{left}\" y=\"{high}\" fill=\"{colour}\">{name}</text>"));
    }
    svg + "</svg>\n"
}

/// Writes a number with a comma before every three digits.
#[must_use]
pub fn thousands(number: u64) -> String {
    if number >= 1_000 {
        format!("{},{:03}", thousands(number / 1_000), number % 1_000)
    } else {
        number.to_string()
    }
}

/// 10 to the power of `decade` seconds.
fn seconds(decade: i32) -> String {
    let (shift, unit) = match decade {
        ..-6 => (9, "ns"),
        -6..-3 => (6, "µs"),
        -3..0 => (3, "ms"),
        0.. => (0, "s"),
    };
    format!("{} {unit}", 10_u64.pow((decade + shift).unsigned_abs()))
}
