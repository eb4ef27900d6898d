#include "cli/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fdtd::cli {
namespace {

constexpr double width = 760.0, height = 440.0, left = 74.0, right = 16.0, top = 34.0, bottom = 50.0;
// Okabe and Ito's colours, told apart by colour-blind readers too.
constexpr std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#7f6b00", "#555555"};

struct Scale {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  double from = 0.0, to = 1.0;  // pixels

  double operator()(double value) const {
    const double t = logarithmic ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                                 : (value - low) / (high - low);
    return from + t * (to - from);
  }
};

// The axis's own range, or that of the finite points, a little widened.
Scale scale_of(const Axis& axis, const std::vector<Series>& series, bool first) {
  Scale scale{axis.low, axis.high, axis.logarithmic, 0.0, 1.0};
  if (axis.low != axis.high) return scale;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Series& one : series)
    for (const auto& [x, y] : one.points) {
      const double value = first ? x : y;
      if (!std::isfinite(x) || !std::isfinite(y) || (axis.logarithmic && value <= 0.0)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (!(low <= high)) low = axis.logarithmic ? 1.0 : 0.0, high = axis.logarithmic ? 10.0 : 1.0;
  if (axis.logarithmic) {
    scale.low = low / 1.15, scale.high = high * 1.15;
  } else {
    const double room = low == high ? std::max(1e-9, std::abs(low)) : 0.04 * (high - low);
    scale.low = low - room, scale.high = high + room;
    if (low >= 0.0 && scale.low < 0.0) scale.low = 0.0;
  }
  return scale;
}

std::vector<double> ticks(const Scale& scale) {
  std::vector<double> at;
  if (scale.logarithmic) {
    const bool fine = scale.high / scale.low < 300.0;
    for (double decade = std::pow(10.0, std::floor(std::log10(scale.low))); decade <= scale.high; decade *= 10.0)
      for (const double step : {1.0, 2.0, 5.0})
        if ((fine || step == 1.0) && decade * step >= scale.low && decade * step <= scale.high)
          at.push_back(decade * step);
    return at;
  }
  const double rough = (scale.high - scale.low) / 7.0;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = decade;
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * decade >= rough) {
      step = factor * decade;
      break;
    }
  for (double value = std::ceil(scale.low / step) * step; value <= scale.high + 1e-9 * step; value += step)
    at.push_back(std::abs(value) < 1e-9 * step ? 0.0 : value);
  return at;
}

std::string draw_axes(const Plot& plot, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double value : ticks(x))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:.6g}</text>\n",
        x(value), top, height - bottom, height - bottom + 17.0, value);
  for (const double value : ticks(y))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.4g}</text>\n",
        y(value), left, width - right, left - 7.0, y(value) + 4.0, value);
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, top,
                     width - left - right, height - top - bottom);
  svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"20\">{}</text>\n", left, escape_html(plot.title));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (left + width - right) / 2.0,
                     height - 10.0, escape_html(plot.x.label));
  svg += fmt::format("<text transform=\"translate(16,{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + height - bottom) / 2.0, escape_html(plot.y.label));
  return svg;
}

const char* dashes(const Series& series) {
  if (series.dotted) return " stroke-dasharray=\"1.5 3\"";
  return series.dashed ? " stroke-dasharray=\"5 4\"" : "";
}

std::string draw_line(const Series& series, const Scale& x, const Scale& y, const char* colour) {
  std::string path, dots;
  bool pen_down = false;
  for (const auto& [px, py] : series.points) {
    const bool drawable =
        std::isfinite(px) && std::isfinite(py) && !(x.logarithmic && px <= 0.0) && !(y.logarithmic && py <= 0.0);
    if (!drawable) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.1f},{:.1f} ", pen_down ? "L" : "M", x(px), y(py));
    pen_down = true;
    if (series.markers)
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {:.6g}, {:.6g}</title></circle>\n", x(px),
          y(py), colour, escape_html(series.name), px, py);
  }
  if (path.empty()) return dots;
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\"{}><title>{}</title></path>\n{}",
                     path, colour, dashes(series), escape_html(series.name), dots);
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string to_svg(const Plot& plot) {
  Scale x = scale_of(plot.x, plot.series, true), y = scale_of(plot.y, plot.series, false);
  x.from = left, x.to = width - right;
  y.from = height - bottom, y.to = top;
  std::string lines, legend;
  double row = top + 16.0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const char* colour = colours[(series.colour < 0 ? i : static_cast<std::size_t>(series.colour)) % colours.size()];
    lines += draw_line(series, x, y, colour);
    if (series.name.empty()) continue;
    legend += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" stroke-width=\"2\"{4}/><text "
        "class=\"legend\" x=\"{5}\" y=\"{6:.1f}\">{7}</text>\n",
        left + 10.0, left + 32.0, row - 4.0, colour, dashes(series), left + 38.0, row, escape_html(series.name));
    row += 15.0;
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<defs><clipPath id=\"area\"><rect x=\"{}\" y=\"{}\" "
      "width=\"{}\" height=\"{}\"/></clipPath></defs>\n{}<g clip-path=\"url(#area)\">\n{}</g>\n{}</svg>\n",
      width, height, escape_html(plot.title), left, top, width - left - right, height - top - bottom,
      draw_axes(plot, x, y), lines, legend);
}

std::string to_html(const Table& table) {
  std::string html = "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string& cell : table.head) html += "<th>" + escape_html(cell) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escape_html(cell) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 980px; margin: 1.2em auto; padding: 0 1em; color: #222; background: #fff; }}
svg {{ width: 100%; height: auto; margin: 0.6em 0; }}
svg text {{ font: 12px system-ui, sans-serif; fill: #333; }}
svg .title {{ font-weight: 600; font-size: 14px; }}
svg .legend {{ paint-order: stroke; stroke: #fff; stroke-width: 3px; }}
.grid {{ stroke: #e3e3e3; }} .frame {{ fill: none; stroke: #888; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
</style></head><body>
<h1>{0}</h1>
{1}</body></html>
)",
                     escape_html(title), body);
}

}  // namespace fdtd::cli
