#include "engine/reports/result_page/floor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/reports/result_page/surface_edges.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_edges = 1500;
constexpr double across = 404.0, bar_room = 40.0, beside = 76.0, least = 140.0, tallest = 520.0;  // px, of the area

void widen(std::array<double, 2>& low, std::array<double, 2>& high, const std::array<double, 3>& point) {
  for (std::size_t d = 0; d < 2; ++d) low[d] = std::min(low[d], point[d]), high[d] = std::max(high[d], point[d]);
}

// Both axes have the same scale: the shorter one is widened about its middle.
void set_scale(Plot& plot, std::array<double, 2> low, std::array<double, 2> high) {
  constexpr double margin = 0.04;
  const double most = std::max({high[0] - low[0], high[1] - low[1], 1e-3});
  for (std::size_t d = 0; d < 2; ++d) low[d] -= margin * most, high[d] += margin * most;
  double width = high[0] - low[0], height = high[1] - low[1];
  const double tall = std::clamp(across * height / width, least, tallest);
  const double fit = std::max(width / across, height / tall);  // m a pixel
  const auto set = [](Axis& axis, double from, double to, double length) {
    axis.low = 0.5 * (from + to - length), axis.high = 0.5 * (from + to + length);
  };
  set(plot.x, low[0], high[0], fit * across);
  set(plot.y, low[1], high[1], fit * tall);
  plot.width = across + beside + (plot.width > 0.0 ? plot.width : 0.0);
  plot.height = tall + beside;
}

Series places_of(const char* what, int colour, const std::vector<std::array<double, 3>>& positions) {
  Series series{what, {}, false, true, colour};
  for (const auto& at : positions) {
    series.points.emplace_back(at[0], at[1]);
    series.points.emplace_back(std::nan(""), 0.0);  // no line from one to the next
  }
  return series;
}

}  // namespace

Plot floor_plan(const Result& result, const std::string& title, std::array<double, 2> low, std::array<double, 2> high,
                bool bar) {
  Plot plot;
  plot.title = title;
  plot.x = {"x, m"}, plot.y = {"y, m"};
  const RoomSurface& surface = result.surface;
  Series edges{"", {}, false, false, 7};
  for (const SurfaceEdge& edge : surface_edges(surface, most_edges)) {
    for (const std::uint32_t end : {edge.a, edge.b}) {
      const auto& at = surface.vertices[end];
      edges.points.emplace_back(at[0], at[1]);
      widen(low, high, at);
    }
    edges.points.emplace_back(std::nan(""), 0.0);
  }
  plot.width = bar ? bar_room : 0.0;
  set_scale(plot, low, high);
  if (!edges.points.empty()) plot.series.push_back(std::move(edges));
  return plot;
}

Plot places_plan(const Result& result) {
  std::array<double, 2> low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
  for (const auto* positions : {&result.source_positions, &result.receiver_positions})
    for (const auto& at : *positions) widen(low, high, at);
  Plot plot = floor_plan(result, "Plan of the room", low, high);
  plot.series.push_back(places_of("source", 1, result.source_positions));
  plot.series.push_back(places_of("receiver", 0, result.receiver_positions));
  return plot;
}

}  // namespace fdtd
