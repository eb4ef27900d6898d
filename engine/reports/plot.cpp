#include "engine/reports/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/reports/page.hpp"

namespace fdtd {
namespace {

constexpr double left = 62.0, top = 30.0, bottom = 46.0;  // pixels around the area of the curves
// Okabe and Ito's colours, which colour-blind readers can distinguish.
// One more, violet, for the nine octaves from 31.5 Hz to 8 kHz.
constexpr std::array<const char*, 9> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                                "#56b4e9", "#7f6b00", "#808080", "#7a4fbf"};

const char* palette(int colour) { return colours[static_cast<std::size_t>(colour) % colours.size()]; }

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

// The range of the axis, or that of the finite points and of the ranges, widened a little.
Scale scale_of(const Axis& axis, const Plot& plot, bool first) {
  Scale scale{axis.low, axis.high, axis.logarithmic, 0.0, 1.0};
  if (axis.low != axis.high) return scale;
  double low = HUGE_VAL, high = -HUGE_VAL;
  const auto add = [&](double x, double y) {
    const double value = first ? x : y;
    if (!std::isfinite(x) || !std::isfinite(y) || (axis.logarithmic && value <= 0.0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Series& one : plot.series)
    for (const auto& [x, y] : one.points) add(x, y);
  for (const PlotRange& one : plot.ranges)
    for (const auto& [x, from, to] : one.points) add(x, from), add(x, to);
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

// The axis' own marks, or round values within the scale, about `wanted` of them where it is linear.
std::vector<double> ticks(const Axis& axis, const Scale& scale, double wanted) {
  std::vector<double> at;
  for (const double mark : axis.marks)
    if (mark >= scale.low && mark <= scale.high) at.push_back(mark);
  if (!axis.marks.empty()) return at;
  if (scale.logarithmic) {
    const bool fine = scale.high / scale.low < 300.0;
    for (double decade = std::pow(10.0, std::floor(std::log10(scale.low))); decade <= scale.high; decade *= 10.0)
      for (const double step : {1.0, 2.0, 5.0})
        if ((fine || step == 1.0) && decade * step >= scale.low && decade * step <= scale.high)
          at.push_back(decade * step);
    return at;
  }
  const double rough = (scale.high - scale.low) / wanted;
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

// Where a plot's curves are, in pixels.
struct Area {
  double left, top, right, bottom;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

Area area_of(const Plot& plot) {
  const double right = plot.bar.empty() ? 14.0 : 54.0;
  return {left, top, plot.width - right, plot.height - bottom};
}

std::string draw_axes(const Plot& plot, const Area& area, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double value : ticks(plot.x, x, area.width() / 95.0))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:.6g}</text>\n",
        x(value), area.top, area.bottom, area.bottom + 16.0, value);
  for (const double value : ticks(plot.y, y, area.height() / 45.0))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.6g}</text>\n",
        y(value), area.left, area.right, area.left - 6.0, y(value) + 4.0, value);
  svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"18\">{}</text>\n", area.left, escape_html(plot.title));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (area.left + area.right) / 2.0, plot.height - 9.0, escape_html(plot.x.label));
  svg += fmt::format("<text transform=\"translate(13,{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (area.top + area.bottom) / 2.0, escape_html(plot.y.label));
  return svg;
}

std::string draw_image(const Image& image, const Scale& x, const Scale& y) {
  return fmt::format(
      "<image href=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
      "preserveAspectRatio=\"none\"/>\n",
      image.data, x(image.x[0]), y(image.y[1]), x(image.x[1]) - x(image.x[0]), y(image.y[0]) - y(image.y[1]));
}

// The colour bar of an image, low values at the bottom, to the right of the area.
std::string draw_bar(const Plot& plot, const Area& area) {
  if (plot.bar.empty()) return "";
  const double step = area.height() / static_cast<double>(plot.bar.size()), at = area.right + 8.0;
  std::string svg;
  for (std::size_t i = 0; i < plot.bar.size(); ++i)
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"10\" height=\"{:.1f}\" fill=\"{}\"/>", at,
                       area.bottom - step * static_cast<double>(i + 1), step + 0.5, plot.bar[i]);
  if (plot.bar_values[0] != plot.bar_values[1]) {
    Scale scale{plot.bar_values[0], plot.bar_values[1], false, area.bottom, area.top};
    for (const double value : ticks({}, scale, area.height() / 40.0))
      svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{:.4g}</text>\n", at + 13.0, scale(value) + 4.0, value);
    return svg;
  }
  return svg + fmt::format("<text x=\"{0}\" y=\"{1:.1f}\">{2}</text><text x=\"{0}\" y=\"{3:.1f}\">{4}</text>\n",
                           at + 13.0, area.bottom, escape_html(plot.bar_ends[0]), area.top + 10.0,
                           escape_html(plot.bar_ends[1]));
}

const char* dashes(const Series& series) {
  if (series.dotted) return " stroke-dasharray=\"1.5 3\"";
  return series.dashed ? " stroke-dasharray=\"5 4\"" : "";
}

// Whether no two points follow each other: dots without a line.
bool dots_alone(const Series& series) {
  const auto drawable = [](const auto& point) { return std::isfinite(point.first) && std::isfinite(point.second); };
  for (std::size_t i = 1; i < series.points.size(); ++i)
    if (drawable(series.points[i - 1]) && drawable(series.points[i])) return false;
  return series.markers;
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

std::string draw_cells(const Plot& plot, const Scale& x, const Scale& y) {
  std::string svg;
  for (const Cells& one : plot.cells) {
    std::string path;
    for (const CellRectangle& cell : one.rectangles) {
      const double left = x(cell.low[0]), right = x(cell.high[0]), top = y(cell.high[1]), bottom = y(cell.low[1]);
      path += fmt::format("M{:.1f},{:.1f}h{:.1f}v{:.1f}h-{:.1f}z", left, top, right - left, bottom - top, right - left);
    }
    if (!path.empty()) svg += fmt::format("<path class=\"cells\" d=\"{}\" fill=\"{}\"/>\n", path, one.colour);
  }
  return svg;
}

// Up along the high values, back along the low ones.
std::string draw_range(const PlotRange& range, const Scale& x, const Scale& y) {
  std::string path, back;
  for (const auto& [at, low, high] : range.points) {
    if (!std::isfinite(at) || !std::isfinite(low) || !std::isfinite(high)) continue;
    path += fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", x(at), y(high));
    back = fmt::format("L{:.1f},{:.1f} ", x(at), y(low)) + back;
  }
  if (path.empty()) return "";
  return fmt::format(
      "<path class=\"range\" d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.2\" stroke=\"{}\" "
      "stroke-dasharray=\"2 3\"><title>{}</title></path>\n",
      path, back, palette(range.colour), palette(range.colour), escape_html(range.name));
}

// Why there is nothing to draw, in lines as wide as the frame.
std::string draw_reason(const std::string& reason, const Area& area) {
  constexpr double character = 6.2, row = 16.0;  // px, of the page's text
  const auto most = std::max<std::size_t>(20, static_cast<std::size_t>((area.width() - 20.0) / character));
  std::vector<std::string> rows{""};
  for (std::size_t begin = 0; begin < reason.size();) {
    const std::size_t end = std::min(reason.find(' ', begin), reason.size());
    const std::string word = reason.substr(begin, end - begin);
    if (!rows.back().empty() && rows.back().size() + 1 + word.size() > most) rows.emplace_back();
    rows.back() += (rows.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  std::string svg;
  double y = (area.top + area.bottom - row * static_cast<double>(rows.size())) / 2.0 + row;
  for (const std::string& one : rows) {
    svg += fmt::format("<text class=\"empty\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       (area.left + area.right) / 2.0, y, escape_html(one));
    y += row;
  }
  return svg;
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const Area area = area_of(plot);
  Scale x = scale_of(plot.x, plot, true), y = scale_of(plot.y, plot, false);
  if (plot.legend_above && !y.logarithmic && plot.y.low == plot.y.high) {
    const auto named = [](const auto& one) { return !one.name.empty(); };
    const auto rows = std::ranges::count_if(plot.series, named) + std::ranges::count_if(plot.ranges, named);
    const double part = std::min(0.5, (15.0 * static_cast<double>(rows) + 12.0) / area.height());
    y.high += (y.high - y.low) * part / (1.0 - part);
  }
  x.from = area.left, x.to = area.right;
  y.from = area.bottom, y.to = area.top;
  std::string lines, legend;
  double row = area.top + 16.0;
  const double key = plot.legend_right ? area.right - 10.0 : area.left + 10.0, side = plot.legend_right ? -1.0 : 1.0;
  const auto name = [&](const std::string& text, const std::string& sample) {
    legend += sample + fmt::format("<text class=\"legend\" x=\"{}\" y=\"{:.1f}\"{}>{}</text>\n", key + side * 28.0, row,
                                   plot.legend_right ? " text-anchor=\"end\"" : "", escape_html(text));
    row += 15.0;
  };
  const auto line_sample = [&](const char* colour, const std::string& style) {
    return fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"{4}/>", key,
                       key + side * 22.0, row - 4.0, colour, style);
  };
  if (plot.image) lines += draw_image(*plot.image, x, y);
  lines += draw_cells(plot, x, y);
  for (const PlotRange& range : plot.ranges) {
    const std::string filled = draw_range(range, x, y);
    lines += filled;
    if (!range.name.empty() && !filled.empty())
      name(range.name, line_sample(palette(range.colour), " stroke-width=\"10\" stroke-opacity=\"0.3\""));
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const char* colour = palette(series.colour < 0 ? static_cast<int>(i) : series.colour);
    const std::string line = draw_line(series, x, y, colour);
    lines += line;
    if (!series.name.empty() && !line.empty())
      name(series.name, dots_alone(series) ? fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>",
                                                         key + side * 11.0, row - 4.0, colour)
                                           : line_sample(colour, fmt::format(" stroke-width=\"2\"{}", dashes(series))));
  }
  const std::string reason =
      lines.empty() ? draw_reason(plot.why_empty.empty() ? "no data" : plot.why_empty, area) : "";
  const std::string frame =
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", area.left, area.top, area.width(), area.height());
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n{}<svg {} viewBox=\"{} {} {} "
      "{}\">\n{}</svg>\n<rect class=\"frame\" {}/>\n{}{}{}</svg>\n",
      plot.width, plot.height, escape_html(plot.title), escape_html(plot.about.empty() ? plot.title : plot.about),
      draw_axes(plot, area, x, y), frame, area.left, area.top, area.width(), area.height(), lines, frame, legend,
      draw_bar(plot, area), reason);
}

}  // namespace fdtd
