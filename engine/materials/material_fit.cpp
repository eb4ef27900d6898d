// A material as a scene states it -> the branches of a run. Its law (material_law.hpp) does not depend on the run; the
// run's branches are fitted to the law's complex admittance, as far up as the run goes: branches cost time at the walls.
#include "engine/materials/material_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/known_values.hpp"
#include "base/rounded_text.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/admittance_fit.hpp"
#include "engine/materials/band_law.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr double highest_octave = 16000.0;

double nominal(double centre) { return centre == 62.5 ? 63.0 : centre; }

void add_remark(std::string& remark, const std::string& sentence) {
  if (!remark.empty()) remark += "; ";
  remark += sentence;
}

// Fills the absorption of the branches in the octaves `fit.bands`, with a remark on each beyond its tolerance.
void compare(MaterialFit& fit, double max_frequency) {
  const double max = largest_random_incidence_absorption();
  for (std::size_t i = 0; i < fit.bands.size(); ++i) {
    fit.fitted.push_back(octave_band_absorption(fit.branches, fit.bands[i]));
    if (!counts(fit, i, max_frequency)) continue;
    const double asked = fit.asked[i], fitted = fit.fitted[i];
    if (asked > max)
      add_remark(fit.remark, fmt::format("{:.3f} at {:g} Hz is more than a locally reacting wall can absorb in random "
                                         "incidence ({:.3f}): it absorbs {:.3f}",
                                         asked, fit.bands[i], max, fitted));
    else if (std::abs(fitted - asked) > absorption_tolerance(asked))
      add_remark(fit.remark,
                 fmt::format("{:.3g} requested at {:g} Hz, {:.3g} is {}", asked, fit.bands[i], fitted,
                             fit.smooth_law ? "that of the smooth law" : "the nearest with passive branches"));
  }
}

MaterialFit fit_of_bands(const Material& material, double max_frequency, MaterialFit fit) {
  fit.branches = fit.smooth_law ? fit.law.branches() : branches_within(fit.law.branches(), max_frequency);
  fit.bands = material.bands;
  fit.asked = material.alpha;
  compare(fit, max_frequency);
  if (*std::ranges::min_element(fit.bands) > max_frequency)
    add_remark(fit.remark,
               fmt::format("all bands lie above {:g} Hz: the lowest one's absorption is used", max_frequency));
  return fit;
}

// fit_admittance, once in a process for the same law and frequency.
AdmittanceFit known_admittance_fit(const Material& material, const MaterialLaw& law, double max_frequency) {
  static KnownValues<AdmittanceFit> known(256);
  const PorousLayer& layer = material.porous;
  std::vector<double> numbers = {static_cast<double>(material.kind),
                                 max_frequency,
                                 law.sound_speed(),
                                 layer.flow_resistivity,
                                 layer.thickness,
                                 layer.air_gap};
  numbers.insert(numbers.end(), law.table().frequencies.begin(), law.table().frequencies.end());
  for (const Complex& value : law.table().values) numbers.insert(numbers.end(), {value.real(), value.imag()});
  return known.of(std::move(numbers), [&] { return fit_admittance(law, max_frequency); });
}

MaterialFit fit_of_admittance(const Material& material, double max_frequency, MaterialFit fit) {
  const AdmittanceFit found = known_admittance_fit(material, fit.law, max_frequency);
  fit.branches = found.branches;
  fit.frequencies = found.frequencies;
  for (const double f : fit.frequencies) {
    const Complex y = fit.law.admittance(f);
    fit.reflection.push_back((1.0 - y) / (1.0 + y));
  }
  for (double centre = 62.5; centre <= std::min(max_frequency, highest_octave); centre *= 2.0) {
    // A single line holds for all frequencies; of other tables the octave's middle half.
    const double low = centre * std::exp2(-0.25), high = centre * std::exp2(0.25);
    const auto& lines = fit.law.table().frequencies;
    if (lines.size() > 1 && (lines.front() > low || lines.back() < high)) continue;
    fit.bands.push_back(nominal(centre));
    fit.asked.push_back(fit.law.stated_absorption(fit.bands.back()));
  }
  compare(fit, max_frequency);
  if (!found.met)
    add_remark(fit.remark, fmt::format("the reflection coefficient is off by {:.2g} at {} Hz, the worst place",
                                       found.worst, rounded_text(found.worst_frequency, 4)));
  return fit;
}

}  // namespace

bool counts(const MaterialFit& fit, std::size_t band, double max_frequency) {
  return fit.bands[band] <= max_frequency || fit.bands[band] <= *std::ranges::min_element(fit.bands);
}

MaterialFit fit_material(const Material& material, const MaterialLaw& law, double max_frequency) {
  MaterialFit fit;
  fit.name = material.name;
  fit.kind = material.kind;
  fit.origin = material.origin;
  fit.law = law;
  fit.smooth_law = material.smooth_law;
  if (fit.kind == Material::Kind::absorption) return fit_of_bands(material, max_frequency, std::move(fit));
  if (fit.kind == Material::Kind::impedance || fit.kind == Material::Kind::porous)
    return fit_of_admittance(material, max_frequency, std::move(fit));
  fit.branches = law.branches();
  for (double centre = 62.5; centre <= std::min(max_frequency, 8000.0); centre *= 2.0) {
    fit.bands.push_back(nominal(centre));
    fit.fitted.push_back(octave_band_absorption(fit.branches, fit.bands.back()));
  }
  return fit;
}

MaterialFit fit_material(const Material& material, double max_frequency, double sound_speed) {
  return fit_material(material, MaterialLaw(material, sound_speed), max_frequency);
}

}  // namespace fdtd
