#include "engine/planning/choose/oblique_errors.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

constexpr double unit = 1e-4;

bool names(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

double between(const std::array<std::uint16_t, oblique_points.size()>& values, double points, double beyond) {
  constexpr double below = 4.0;
  const auto value = [&](std::size_t i) { return unit * static_cast<double>(values[i]); };
  const std::size_t last = oblique_points.size() - 1;
  if (points <= oblique_points[0]) return value(0) * std::pow(oblique_points[0] / points, below);
  if (points >= oblique_points[last]) return value(last) * std::pow(oblique_points[last] / points, beyond);
  const auto above =
      static_cast<std::size_t>(std::ranges::upper_bound(oblique_points, points) - oblique_points.begin());
  const double part =
      std::log(points / oblique_points[above - 1]) / std::log(oblique_points[above] / oblique_points[above - 1]);
  return value(above - 1) * std::pow(value(above) / value(above - 1), part);
}

}  // namespace

const ObliqueRow* find_oblique_row(const Stencil& stencil) {
  constexpr double rounding = 1.0 + 1e-6;
  if (stencil.family == Family::user) return nullptr;
  for (const ObliqueRow& row : oblique_rows())
    if (names(row.stencils, stencil.name)) return stencil.courant <= rounding * row.courant ? &row : nullptr;
  return nullptr;
}

double oblique_decay(const ObliqueRow& row, double points) { return between(row.decay, points, 1.0); }
double oblique_shift(const ObliqueRow& row, double points) { return between(row.shift, points, 0.5); }

}  // namespace fdtd
