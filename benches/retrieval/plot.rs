//! Learning curves, as a small SVG: one panel for all tools, one for those with ten queries.

use std::fmt::Write;

use crate::Point;

/// One line of a panel.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) colour: &'static str,
    pub(crate) is_dashed: bool,
    /// After so many learned queries for each tool, so many percent.
    pub(crate) points: Vec<(usize, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 50.0;
const PANEL: f64 = 230.0;
const LEFT: f64 = 50.0;
const GAP: f64 = 50.0;
/// The percentage at the upper end.
const MOST: f64 = 90.0;

/// How often ours and the baseline find the right tool.
pub(crate) fn ours_and_bm25(points: &[Point]) -> Vec<Line> {
    let of = |name, colour, is_dashed, value: &dyn Fn(&Point) -> f64| Line {
        name,
        colour,
        is_dashed,
        points: points.iter().map(|point| (point.0, value(point))).collect(),
    };
    vec![
        of("ours top-5", "#0072b2", false, &|point| point.1.top(5)),
        of("BM25 top-5", "#0072b2", true, &|point| point.2.top(5)),
        of("ours top-1", "#d55e00", false, &|point| point.1.top(1)),
        of("BM25 top-1", "#d55e00", true, &|point| point.2.top(1)),
    ]
}

/// Draws both panels.
pub(crate) fn draw(title: &str, on_all: &[Line], on_few: &[Line]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"15\">{title}</text>\n"
    );
    for (at, (title, lines)) in
        [("all tools", on_all), ("tools with ten queries", on_few)].into_iter().enumerate()
    {
        panel(&mut svg, LEFT + at as f64 * (PANEL + GAP), title, lines);
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, left: f64, title: &str, lines: &[Line]) {
    let mut draw = |line: String| writeln!(svg, "{line}").expect("a text");
    let foot = HEIGHT - BOTTOM;
    let y = |percent: f64| foot - percent / MOST * (foot - TOP);
    // As many learned queries as there are, on a scale on which none has a place.
    let x = |step: usize| left + (1.0 + step as f64).ln() / 11_f64.ln() * PANEL * 0.8;
    draw(format!("<text x=\"{left}\" y=\"{}\">{title}</text>", TOP - 10.0));
    for tens in 0..=(MOST as u32 / 10) {
        let (at, end, number) = (y(f64::from(tens) * 10.0), left + PANEL * 0.8, tens * 10);
        draw(format!("<path d=\"M{left:.1} {at:.1}H{end:.1}\" stroke=\"#ddd\"/>"));
        draw(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>",
            left - 6.0,
            at + 4.0
        ));
    }
    for (step, _) in lines.first().map_or(&[][..], |line| &line.points) {
        draw(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>",
            x(*step),
            foot + 18.0
        ));
    }
    draw(format!("<text x=\"{left}\" y=\"{}\">learned for each tool</text>", foot + 36.0));
    for line in lines {
        let at: Vec<String> = line
            .points
            .iter()
            .map(|(step, value)| format!("{:.1},{:.1}", x(*step), y(*value)))
            .collect();
        let dashes = if line.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let colour = line.colour;
        draw(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            at.join(" ")
        ));
    }
    // Names stand beside the ends of their lines, and not on each other.
    let mut ends: Vec<(f64, f64, &Line)> = lines
        .iter()
        .filter_map(|line| line.points.last().map(|(step, value)| (y(*value), x(*step), line)))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut above = f64::MIN;
    for (end, right, line) in ends {
        above = end.max(above + 13.0);
        draw(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
            right + 6.0,
            above + 4.0,
            line.colour,
            line.name
        ));
    }
}
