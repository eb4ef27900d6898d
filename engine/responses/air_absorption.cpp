#include "engine/responses/air_absorption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/math/fourier.hpp"

namespace fdtd {
namespace {

constexpr double reference_pressure = 101.325;    // kPa
constexpr double reference_temperature = 293.15;  // K
constexpr double triple_point = 273.16;           // K
constexpr double decibels_a_neper = 8.685889638065035;
constexpr double reach = 0.02;  // s on both sides: the length of the filter's response
constexpr double largest_change =
    0.08;  // nepers from one window to the next; its square over 8 is the error between them

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
  const auto samples = static_cast<std::int64_t>(response.size());
  if (samples == 0) return;
  // Nepers per second at the highest frequency determine the step between windows.
  const double fastest = air_attenuation(air, rate / 2.0) * air.sound_speed / decibels_a_neper;
  const double seconds = std::min(0.01, fastest > 0.0 ? largest_change / fastest : 0.01);
  const auto hop = std::max<std::int64_t>(8, static_cast<std::int64_t>(seconds * rate));
  const auto lead = static_cast<std::int64_t>(std::ceil(reach * rate));
  const std::int64_t length = smooth_length(2 * hop + 2 * lead);
  std::vector<double> exponent;  // nepers per second, one per bin
  for (std::int64_t k = 0; k <= length / 2; ++k)
    exponent.push_back(air_attenuation(air, static_cast<double>(k) * rate / static_cast<double>(length)) *
                       air.sound_speed / decibels_a_neper);
  std::vector<double> out(response.size(), 0.0);
  // Triangular windows: the filter changes linearly from one window to the next. The first is centred at the emission.
  for (std::int64_t middle = 0; middle - hop < samples; middle += hop) {
    std::vector<double> frame(static_cast<std::size_t>(length), 0.0);
    const std::int64_t begin = std::max<std::int64_t>(0, middle - hop), end = std::min(samples, middle + hop);
    for (std::int64_t n = begin; n < end; ++n)
      frame[static_cast<std::size_t>(n - middle + hop + lead)] =
          response[static_cast<std::size_t>(n)] *
          (1.0 - std::abs(static_cast<double>(n - middle)) / static_cast<double>(hop));
    auto spectrum = real_fft(frame, length);
    const double time = static_cast<double>(middle) / rate;
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= std::exp(-exponent[k] * time);
    frame = inverse_real_fft(spectrum, length);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t n = i + middle - hop - lead;
      if (n >= 0 && n < samples) out[static_cast<std::size_t>(n)] += frame[static_cast<std::size_t>(i)];
    }
  }
  std::copy(out.begin(), out.end(), response.begin());
}

}  // namespace fdtd
