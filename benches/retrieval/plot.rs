//! The learning curve, as a small SVG: one panel for all tools, one for those with ten queries.

use std::fmt::Write;

use crate::Point;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 50.0;
const PANEL: f64 = 230.0;
const LEFT: f64 = 50.0;
const GAP: f64 = 50.0;
/// The percentage at the upper end.
const MOST: f64 = 80.0;

/// Draws both panels.
pub(crate) fn draw(on_all: &[Point], on_few: &[Point]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"15\">Right tool found, % of test queries</text>\n"
    );
    for (at, (title, points)) in
        [("all tools", on_all), ("tools with ten queries", on_few)].into_iter().enumerate()
    {
        panel(&mut svg, LEFT + at as f64 * (PANEL + GAP), title, points);
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, left: f64, title: &str, points: &[Point]) {
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
    for (step, ..) in points {
        draw(format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>",
            x(*step),
            foot + 18.0
        ));
    }
    draw(format!("<text x=\"{left}\" y=\"{}\">learned for each tool</text>", foot + 36.0));
    for (most, colour) in [(5, "#0072b2"), (1, "#d55e00")] {
        for (who, dashes) in [("ours", ""), ("BM25", " stroke-dasharray=\"5 4\"")] {
            let value =
                |point: &Point| if who == "ours" { point.1.top(most) } else { point.2.top(most) };
            let at: Vec<String> = points
                .iter()
                .map(|point| format!("{:.1},{:.1}", x(point.0), y(value(point))))
                .collect();
            draw(format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
                at.join(" ")
            ));
            let Some(last) = points.last() else { continue };
            draw(format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{who} top-{most}</text>",
                x(last.0) + 6.0,
                y(value(last)) + 4.0
            ));
        }
    }
}
