#include "engine/cpu/tune.hpp"

#include <algorithm>

#include "engine/machine.hpp"

namespace fdtd::cpu {
namespace {

// Columns of a block of which everything that a step reads again fits a thread's share of the second-level cache.
int fitting_columns(const Layout& layout, int planes, std::size_t value_bytes) {
  const double row = static_cast<double>(layout.row) * static_cast<double>(value_bytes);
  const double rows = 0.7 * static_cast<double>(second_level_cache()) / (planes * row);
  const int least = std::max(1, layout.radius / 2);  // below, rows around a block are read too often
  return std::clamp(static_cast<int>(rows / tile_edge), least, std::max(least, layout.columns));
}

}  // namespace

template <class T>
March default_march(const Stepper<T>& stepper, bool slices) {
  const Layout& layout = stepper.layout();
  March march;
  march.layers = stepper.stencil().shape == Shape::none ? 1 : 2;
  if (slices && stepper.slices()) {
    march.steps = layout.radius == 1 ? 4 : 2;
    march.layers = 1;
    march.columns = narrowest(layout, march.steps);
    return march;
  }
  march.columns = fitting_columns(layout, 2 * layout.radius + 2 * march.layers * tile_edge, sizeof(T));
  return march;
}

template March default_march(const Stepper<float>&, bool);
template March default_march(const Stepper<double>&, bool);

}  // namespace fdtd::cpu
