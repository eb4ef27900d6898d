// Line plots, and pictures with axes, as SVG for a page (page.hpp), whose style sets the colours.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fdtd {

struct Series {
  std::string name;                               // empty: not in the legend
  std::vector<std::pair<double, double>> points;  // not finite: the line breaks there
  bool dashed = false;
  bool markers = false;  // a dot per point, with its values as a tooltip
  int colour = -1;       // -1: by its position in the plot
  bool dotted = false;
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  double low = 0.0, high = 0.0;    // equal: from the points
  std::vector<double> marks = {};  // where lines and numbers stand; empty: at round values
};

// A filled range behind the curves, as of a target or of the least and the largest of many.
struct PlotRange {
  std::string name;                           // empty: not in the legend
  std::vector<std::array<double, 3>> points;  // x, low, high
  int colour = 2;
};

// A picture behind the curves: a data URI, and the corners' values on both axes.
struct Image {
  std::string data;
  std::array<double, 2> x{}, y{};
};

// Values on both axes of two opposite corners.
struct CellRectangle {
  std::array<double, 2> low{}, high{};
};

// Rectangles of one colour, as of a map.
struct Cells {
  std::string colour;
  std::vector<CellRectangle> rectangles;
};

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  double width = 760.0, height = 440.0;  // pixels; scaled down on narrow screens
  bool legend_right = false;             // for curves that start at the upper left
  bool legend_above = false;             // the curves leave room for it, where the y axis has no limits of its own
  std::string about = {};                // description for screen readers; empty: the title
  std::optional<Image> image = {};
  // Colours of the image from low to high and the values at the ends; none: no colour bar.
  std::vector<std::string> bar = {};
  std::array<std::string, 2> bar_ends = {};
  std::array<double, 2> bar_values = {};  // unless equal: round values between them stand beside the bar instead
  std::vector<Cells> cells = {};
  std::vector<PlotRange> ranges = {};
  std::string why_empty = {};  // stands in the frame where there is nothing to draw
};

std::string to_svg(const Plot& plot);

}  // namespace fdtd
