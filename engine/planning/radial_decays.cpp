#include "engine/planning/radial_decays.hpp"

#include <algorithm>
#include <array>

namespace fdtd {
namespace {

constexpr double above_measured = 10.0;  // of the square of edge share times mean absorption

const MaterialFit* fit_of(const std::string& material, const std::vector<MaterialFit>& fits) {
  const auto found = std::ranges::find(fits, material, &MaterialFit::name);
  const auto lossy = [](const Branch& b) { return b.E > 0.0; };
  return found != fits.end() && std::ranges::any_of(found->branches, lossy) ? &*found : nullptr;
}

std::array<double, 6> areas_of(const Room& room) {
  std::array<double, 6> areas{};
  for (std::size_t side = 0; side < 6; ++side)
    areas[side] = room.box[(side / 2 + 1) % 3] * room.box[(side / 2 + 2) % 3];
  return areas;
}

}  // namespace

double edge_share(const Room& room, const std::vector<MaterialFit>& fits, double reach) {
  if (room.mesh) return 0.0;
  const std::array<double, 6> areas = areas_of(room);
  double lossy = 0.0, near = 0.0;
  for (std::size_t side = 0; side < 6; ++side) {
    if (fit_of(room.walls[side], fits) == nullptr) continue;
    lossy += areas[side];
    // What of the wall is left inside its four strips.
    double left = areas[side];
    for (const std::size_t axis : {(side / 2 + 1) % 3, (side / 2 + 2) % 3}) {
      double inside = room.box[axis];
      for (const std::size_t other : {2 * axis, 2 * axis + 1})
        if (fit_of(room.walls[other], fits) != nullptr) inside -= reach;
      left *= std::max(inside, 0.0) / room.box[axis];
    }
    near += areas[side] - left;
  }
  return lossy > 0.0 ? near / lossy : 0.0;
}

double radial_decay_error(const Room& room, const std::vector<MaterialFit>& fits, double frequency, int taps,
                          double spacing) {
  if (room.mesh || taps < 2) return 0.0;
  const std::array<double, 6> areas = areas_of(room);
  double area = 0.0, absorbing = 0.0;
  for (std::size_t side = 0; side < 6; ++side) {
    area += areas[side];
    if (const MaterialFit* fit = fit_of(room.walls[side], fits))
      absorbing += areas[side] * random_incidence_absorption(admittance(fit->branches, frequency));
  }
  const double product = edge_share(room, fits, taps * spacing) * absorbing / area;
  return above_measured * product * product;
}

}  // namespace fdtd
