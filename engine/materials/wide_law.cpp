#include "engine/materials/wide_law.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/materials/absorption.hpp"

namespace fdtd {
namespace {

constexpr double blend = 0.25;  // octaves
// The admittance with the phase of `y`, and on its side of the largest absorption, that absorbs `alpha` in random
// incidence; a real one where no such is.
std::complex<double> scaled_to(double alpha, std::complex<double> y) {
  const double peak = admittance_of_absorption(1.0) / std::abs(y);
  const bool hard = peak > 1.0;
  const auto absorbs_less = [&](double factor) { return random_incidence_absorption(factor * y) < alpha; };
  double less = hard ? peak / 1e6 : peak * 1e6, more = peak;
  if (!(std::isfinite(peak) && absorbs_less(less) && !absorbs_less(more))) return admittance_of_absorption(alpha);
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(less * more);
    (absorbs_less(middle) ? less : more) = middle;
  }
  return more * y;
}

// Where the data of a material end (Hz), 0 if they do not.
double end_of_data(const Material& material) {
  switch (material.kind) {
    case Material::Kind::absorption:
      return *std::ranges::max_element(material.bands) * std::numbers::sqrt2;
    case Material::Kind::impedance:  // a single line holds for all frequencies
      return material.impedance.frequencies.size() > 1 ? material.impedance.frequencies.back() : 0.0;
    case Material::Kind::porous:  // 1 m3/kg: see porous_admittance
      return material.porous.flow_resistivity;
    default:
      return 0.0;
  }
}

}  // namespace

WideLaw::WideLaw(const Material& material, double sound_speed) : law_(material, sound_speed) {
  const double end = end_of_data(material);
  if (end < highest_wide_frequency) extended_from_ = end;
  if (material.kind != Material::Kind::absorption || extended_from_ == 0.0) return;
  held_from_ = end;
  const double highest = law_.stated_absorption(end);
  held_ = scaled_to(std::min(highest, largest_random_incidence_absorption()), law_.admittance(end));
}

std::complex<double> WideLaw::admittance(double frequency) const {
  if (held_from_ == 0.0 || frequency <= held_from_) return law_.admittance(frequency);
  const double part = std::log2(frequency / held_from_) / blend;
  if (part >= 1.0) return held_;
  return law_.admittance(frequency) * (1.0 - part) + held_ * part;
}

double octave_point(double centre, int point) { return centre * std::exp2((point + 0.5) / octave_points - 0.5); }

WallOctave wall_octave(const WideLaw& law, double centre) {
  WallOctave wall;
  double absorbed = 0.0;
  for (int j = 0; j < octave_points; ++j) {
    const std::complex<double> y = law.admittance(octave_point(centre, j));
    wall.admittance[static_cast<std::size_t>(j)] = y;
    absorbed += random_incidence_absorption(y) / octave_points;
  }
  wall.kept_when_scattered = 1.0 - absorbed;
  return wall;
}

}  // namespace fdtd
