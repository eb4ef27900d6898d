// The floating-point precision of a simulation: of its field, its weights and its walls.
#pragma once

namespace fdtd {

enum class Precision { f32, f64 };

constexpr const char* to_string(Precision precision) { return precision == Precision::f32 ? "f32" : "f64"; }

}  // namespace fdtd
