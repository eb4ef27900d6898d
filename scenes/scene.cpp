#include "scenes/scene.hpp"

#include <cmath>

namespace fdtd {

const char* to_string(Precision precision) { return precision == Precision::f32 ? "f32" : "f64"; }

double Air::speed() const { return sound_speed ? *sound_speed : 331.3 * std::sqrt(1.0 + temperature / 273.15); }

}  // namespace fdtd
