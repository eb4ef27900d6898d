#include "scenes/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fdtd {

double Air::speed() const { return sound_speed ? *sound_speed : 331.3 * std::sqrt(1.0 + temperature / 273.15); }

Distinct Room::materials() const { return mesh ? distinct(surfaces) : distinct(walls); }

const std::vector<std::string>& cardioid_family() {
  static const std::vector<std::string> all = {"omni",          "subcardioid",   "cardioid",
                                               "supercardioid", "hypercardioid", "figure-eight"};
  return all;
}

std::string turned_name(const std::string& receiver, double yaw) { return fmt::format("{}_yaw{:.6g}", receiver, yaw); }

double omni_fraction(const std::string& pattern) {
  static const std::vector<double> fractions = {1.0, 0.7, 0.5, (std::sqrt(3.0) - 1.0) / 2.0, 0.25, 0.0};
  const auto& names = cardioid_family();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == pattern) return fractions[i];
  throw std::invalid_argument("no pattern of the cardioid family: " + pattern);
}

}  // namespace fdtd
