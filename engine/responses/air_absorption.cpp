#include "engine/responses/air_absorption.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/math/attenuation.hpp"

namespace fdtd {
namespace {

constexpr double reference_pressure = 101.325;    // kPa
constexpr double reference_temperature = 293.15;  // K
constexpr double triple_point = 273.16;           // K
constexpr double decibels_a_neper = 8.685889638065035;

double kelvin(const AirState& air) { return air.temperature + 273.15; }

// Molar concentration of water vapour, %.
double water_vapour(const AirState& air) {
  const double exponent = -6.8346 * std::pow(triple_point / kelvin(air), 1.261) + 4.6151;
  return air.relative_humidity * std::pow(10.0, exponent) * reference_pressure / air.pressure;
}

}  // namespace

AirState air_state(const Air& air) { return {air.temperature, air.relative_humidity, air.pressure, air.speed()}; }

double air_attenuation(const AirState& air, double frequency) {
  const double T = kelvin(air), ratio = T / reference_temperature, p = air.pressure / reference_pressure;
  const double h = water_vapour(air);
  const double oxygen = p * (24.0 + 4.04e4 * h * (0.02 + h) / (0.391 + h));
  const double nitrogen = p / std::sqrt(ratio) * (9.0 + 280.0 * h * std::exp(-4.170 * (std::cbrt(1.0 / ratio) - 1.0)));
  const double square = frequency * frequency;
  const double classical = 1.84e-11 / p * std::sqrt(ratio);
  const double vibration = 0.01275 * std::exp(-2239.1 / T) / (oxygen + square / oxygen) +
                           0.1068 * std::exp(-3352.0 / T) / (nitrogen + square / nitrogen);
  return 8.686 * square * (classical + std::pow(ratio, -2.5) * vibration);
}

namespace {
double nepers_a_second(const AirState& air, double frequency) {
  return air_attenuation(air, frequency) * air.sound_speed / decibels_a_neper;
}
}  // namespace

std::string outside_standard(const AirState& air, double frequency) {
  const double h = water_vapour(air), hertz_a_pascal = frequency / (1e3 * air.pressure);
  if (air.temperature < -20.0 || air.temperature > 50.0)
    return fmt::format("{:g} degrees Celsius are outside -20..50", air.temperature);
  if (h < 0.05 || h > 5.0) return fmt::format("{:.3g} % of water vapour are outside 0.05..5 %", h);
  if (air.pressure > 200.0) return fmt::format("{:g} kPa are more than 200", air.pressure);
  if (hertz_a_pascal > 10.0) return fmt::format("{:g} Hz are more than 10 Hz a pascal", frequency);
  return "";
}

void absorb_by_air(std::span<double> response, double rate, const AirState& air) {
  attenuate(response, rate, [&](double frequency) { return nepers_a_second(air, frequency); });
}

void absorb_by_air_transposed(std::span<double> by_response, double rate, const AirState& air) {
  attenuate_transposed(by_response, rate, [&](double frequency) { return nepers_a_second(air, frequency); });
}

}  // namespace fdtd
