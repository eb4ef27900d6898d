#include "engine/calibration/fitted_figures.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "engine/responses/band_metrics.hpp"

namespace fdtd {

double in_steps(std::size_t figure, double value) {
  const FittedFigure& one = fitted_figures[figure];
  if (!one.relative) return value / one.jnd;
  return value > 0.0 ? std::log(value) / std::log1p(one.jnd) : std::numeric_limits<double>::quiet_NaN();
}

std::size_t index_of(const FittedFigure& figure) {
  std::size_t index = 0;
  while (std::string_view(named_figures[index].name) != figure.name) ++index;
  return index;
}

}  // namespace fdtd
