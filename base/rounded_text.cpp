#include "base/rounded_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace fdtd {
namespace {

std::string written(double value) { return fmt::format("{:.15g}", value); }

// `round`: of the value in units of the last digit.
std::string rounded_by(double value, int digits, double (*round)(double)) {
  if (!std::isfinite(value) || value == 0.0) return fmt::format("{:g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1.0 - digits);
  const double last = value / unit, near = std::round(last);
  // A number of so many digits stays as it is, whatever the rounding of the division.
  return rounded_text((std::abs(last - near) < 1e-9 ? near : round(last)) * unit, digits);
}

}  // namespace

std::string rounded_text(double value, int digits) {
  return written(std::stod(fmt::format("{:.{}e}", value, digits - 1)));
}

std::string rounded_up_text(double value, int digits) { return rounded_by(value, digits, std::ceil); }

std::string rounded_down_text(double value, int digits) { return rounded_by(value, digits, std::floor); }

}  // namespace fdtd
