// Eigenfrequencies of a rigid 5 : 4 : 3 box on the grid, first 20 modes, against the exact ones: with walls by folding
// the cosine modes are exact eigenvectors of S (tests/physics), so that omega T = arccos(s/2) of the symbol is the
// scheme's own frequency, walls included. Prints one JSON document: bench/tables.py makes the README's table from it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "engine/system/version.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace {

using namespace fdtd;

struct Mode {
  std::array<int, 3> order;
  double wavenumber;  // radians per cell of a box of 1 cell a unit
};

std::vector<Mode> first_modes(std::array<int, 3> size, std::size_t count) {
  std::vector<Mode> modes;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      for (int c = 0; c < 8; ++c)
        if (a + b + c > 0)
          modes.push_back(
              {{a, b, c},
               std::numbers::pi * std::hypot(static_cast<double>(a) / size[0], static_cast<double>(b) / size[1],
                                             static_cast<double>(c) / size[2])});
  std::sort(modes.begin(), modes.end(), [](const Mode& x, const Mode& y) { return x.wavenumber < y.wavenumber; });
  modes.resize(count);
  return modes;
}

double worst_mode_error(const Stencil& stencil, std::array<int, 3> size, bool removal) {
  const double lambda = std::min(stencil.courant, 0.999 * stencil.courant_limit);
  const Stencil scaled = at_courant(stencil, lambda);
  const GridStencil grid = on_grid(scaled, {lambda, lambda, lambda});
  const FrequencyMap map = removal && !frequency_map(scaled).undoes() ? FrequencyMap::time() : frequency_map(scaled);
  double worst = 0.0;
  for (const Mode& mode : first_modes(size, 20)) {
    Vec3 k{};
    for (std::size_t d = 0; d < 3; ++d) k[d] = std::numbers::pi * mode.order[d] / size[d];
    const double stepped = std::acos(std::clamp(symbol(grid, k) / 2.0, -1.0, 1.0));
    worst = std::max(worst, std::abs(map.truth(stepped) / (lambda * mode.wavenumber) - 1.0));
  }
  return worst;
}

}  // namespace

int main() {
  nlohmann::ordered_json document{
      {"program", version_line()},
      {"what", "largest relative error of the first 20 eigenfrequencies of a rigid 5:4:3 box"}};
  auto results = nlohmann::ordered_json::array();
  for (const char* name : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "leggy-4/opt1", "leggy-4/warp03", "compact-3",
                           "compact-5", "compact-9", "box-222", "compact-4/radial03"}) {
    const Stencil* stencil = find_stencil(name);
    if (stencil == nullptr) continue;
    for (const bool removal : {false, true}) {
      const bool designed = frequency_map(*stencil).undoes();
      if (designed && !removal) continue;
      if (!designed && removal && (stencil->family != Family::leggy || stencil->variant != "taylor")) continue;
      for (const auto& size : {std::array{5, 4, 3}, std::array{10, 8, 6}, std::array{15, 12, 9}})
        results.push_back({{"stencil", stencil->name},
                           {"points", stencil->point_count()},
                           {"time_dispersion_removal", removal},
                           {"grid", size},
                           {"error", worst_mode_error(*stencil, size, removal)}});
    }
  }
  document["results"] = results;
  fmt::print("{}\n", document.dump(1));
  return 0;
}
