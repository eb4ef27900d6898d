// Line plots as SVG inside self-contained HTML: no network, no script, readable on a phone.
#pragma once

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

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

std::string to_svg(const Plot& plot);
std::string escape_html(const std::string& text);

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
std::string to_html(const Table& table);

// A whole document: the title as heading, then `body` (HTML).
std::string html_page(const std::string& title, const std::string& body);

}  // namespace fdtd::cli
