#include "engine/materials/material_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

// 1/z; zero is replaced by a very small number.
Complex inverse(Complex z) { return 1.0 / (std::abs(z) < 1e-6 ? Complex(1e-6) : z); }

// Of the bands, by their centres.
std::vector<std::pair<double, double>> sorted_bands(const Material& material) {
  std::vector<std::pair<double, double>> bands;
  for (std::size_t i = 0; i < std::min(material.bands.size(), material.alpha.size()); ++i)
    bands.emplace_back(material.bands[i], material.alpha[i]);
  std::ranges::sort(bands);
  return bands;
}

std::vector<Branch> branches_of_bands(const Material& material) {
  if (material.bands.empty() || material.bands.size() != material.alpha.size())
    throw Error(
        Status::scene,
        fmt::format("material {}: absorption needs as many coefficients as bands, and one at least", material.name));
  std::vector<double> centres, alpha;
  for (const auto& [centre, coefficient] : sorted_bands(material)) {
    centres.push_back(centre);
    alpha.push_back(coefficient);
  }
  if (!material.smooth_law) return fit_band_law(centres, alpha);
  if (*std::ranges::max_element(alpha) <= 0.0) return {};
  return smooth_band_law(centres, alpha).branches;
}

double interpolated_absorption(const Material& material, double centre) {
  const auto bands = sorted_bands(material);
  if (bands.empty()) return 0.0;
  if (centre <= bands.front().first) return bands.front().second;
  for (std::size_t i = 1; i < bands.size(); ++i)
    if (centre <= bands[i].first) {
      const double t = std::log(centre / bands[i - 1].first) / std::log(bands[i].first / bands[i - 1].first);
      return std::lerp(bands[i - 1].second, bands[i].second, t);
    }
  return bands.back().second;
}

// Of all kinds but absorption.
Complex admittance_of(const Material& material, double frequency, double sound_speed) {
  switch (material.kind) {
    case Material::Kind::admittance:
      return material.admittance;
    case Material::Kind::branches:
      return admittance(material.branches, frequency);
    case Material::Kind::impedance:
      return interpolated_admittance(material.impedance, frequency);
    case Material::Kind::porous:
      return porous_admittance(material.porous, frequency, sound_speed);
    default:
      return 0.0;
  }
}

}  // namespace

MaterialLaw::MaterialLaw(Material material, double sound_speed)
    : material_(std::move(material)), sound_speed_(sound_speed) {
  if (material_.kind == Material::Kind::absorption) branches_ = branches_of_bands(material_);
  if (material_.kind == Material::Kind::branches) branches_ = material_.branches;
  if (material_.kind == Material::Kind::admittance && material_.admittance > 0.0)
    branches_ = {{0.0, 1.0 / material_.admittance, 0.0}};
}

Complex MaterialLaw::admittance(double frequency) const {
  return material_.kind == Material::Kind::absorption ? fdtd::admittance(branches_, frequency)
                                                      : admittance_of(material_, frequency, sound_speed_);
}

double MaterialLaw::stated_absorption(double centre) const {
  return fdtd::stated_absorption(material_, centre, sound_speed_);
}

double stated_absorption(const Material& material, double centre, double sound_speed) {
  if (material.kind == Material::Kind::rigid) return 0.0;
  if (material.kind == Material::Kind::absorption) return interpolated_absorption(material, centre);
  constexpr int points = 12;
  double sum = 0.0;
  for (int j = 0; j < points; ++j)
    sum +=
        random_incidence_absorption(admittance_of(material, centre * std::exp2((j + 0.5) / points - 0.5), sound_speed));
  return sum / points;
}

Complex interpolated_admittance(const ImpedanceTable& table, double frequency) {
  const auto& f = table.frequencies;
  const auto& z = table.values;
  if (frequency < f.front() || frequency > f.back() || f.size() == 1) {
    const bool below = frequency < f.front();
    const Complex end = below ? z.front() : z.back();
    const double ratio = frequency / (below ? f.front() : f.back());
    return inverse({end.real(), end.imag() < 0.0 ? end.imag() / ratio : end.imag() * ratio});
  }
  const auto above = std::clamp<std::ptrdiff_t>(std::ranges::upper_bound(f, frequency) - f.begin(), 1,
                                                static_cast<std::ptrdiff_t>(f.size()) - 1);
  const auto i = static_cast<std::size_t>(above);
  const double t = std::log(frequency / f[i - 1]) / std::log(f[i] / f[i - 1]);
  if (z[i - 1].imag() > 0.0 && z[i].imag() < 0.0) return inverse(z[i - 1]) + t * (inverse(z[i]) - inverse(z[i - 1]));
  return inverse(z[i - 1] + t * (z[i] - z[i - 1]));
}

Complex porous_admittance(const PorousLayer& layer, double frequency, double sound_speed) {
  const double x = 1e3 * frequency / layer.flow_resistivity, omega = 2.0 * std::numbers::pi * frequency;
  const Complex characteristic(1.0 + 5.50 * std::pow(x, -0.632), -8.43 * std::pow(x, -0.632));
  const Complex wave_number =
      omega / sound_speed * Complex(1.0 + 7.81 * std::pow(x, -0.618), -11.41 * std::pow(x, -0.618));
  const Complex tangent = std::tan(wave_number * layer.thickness), i(0.0, 1.0);
  // A line of characteristic admittance Y_c that ends in Y_e: Y_c (Y_e + i Y_c tan) / (Y_c + i Y_e tan).
  const Complex own = 1.0 / characteristic;
  const Complex end = layer.air_gap > 0.0 ? i * std::tan(omega / sound_speed * layer.air_gap) : Complex(0.0);
  const Complex y = own * (end + i * own * tangent) / (own + i * end * tangent);
  return {std::max(y.real(), 0.0), y.imag()};
}

}  // namespace fdtd
