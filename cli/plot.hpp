// Line plots, and pictures with axes, as SVG to be set into a page (page.hpp): colours are the page's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fdtd::cli {

struct Series {
  std::string name;                               // empty: not in the legend
  std::vector<std::pair<double, double>> points;  // not finite: the line breaks there
  bool dashed = false;
  bool markers = false;  // a dot a point, with its values as a tooltip
  int colour = -1;       // -1: by its place in the plot
  bool dotted = false;
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  double low = 0.0, high = 0.0;  // equal: from the points
};

// A picture behind the curves: a data URI, and the corners' values on both axes.
struct Image {
  std::string data;
  std::array<double, 2> x{}, y{};
};

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  double width = 760.0, height = 440.0;  // pixels; on a narrow screen it is made smaller as a whole
  bool legend_right = false;             // where the curves begin at the upper left
  std::string about = {};                // for those who cannot see it; empty: the title
  std::optional<Image> image = {};
  // Colours of the image from low to high and what the ends stand for; none: no bar.
  std::vector<std::string> bar = {};
  std::array<std::string, 2> bar_ends = {};
};

std::string to_svg(const Plot& plot);

}  // namespace fdtd::cli
