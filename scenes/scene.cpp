#include "scenes/scene.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {

const char* to_string(Precision precision) { return precision == Precision::f32 ? "f32" : "f64"; }

double Air::speed() const { return sound_speed ? *sound_speed : 331.3 * std::sqrt(1.0 + temperature / 273.15); }

std::vector<std::string> Room::used_materials() const {
  std::vector<std::string> used(walls.begin(), walls.end());
  if (mesh) used = surfaces;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace fdtd
