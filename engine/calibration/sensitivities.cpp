#include "engine/calibration/sensitivities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/parallel_failure.hpp"
#include "engine/calibration/identify.hpp"
#include "engine/estimate/estimate.hpp"
#include "engine/estimate/mean_chords.hpp"
#include "engine/estimate/smooth_walls.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/wide_law.hpp"
#include "engine/responses/air_absorption.hpp"

namespace fdtd {
namespace {

constexpr double change = 0.1;     // of x
constexpr double faintest = 1e-3;  // alpha: below, the model's figures may not exist
constexpr int modes = 8;
constexpr double early = 0.08;  // s

double nepers(double decibels) { return decibels * std::numbers::ln10 / 10.0; }

std::array<double, fitted_figures.size()> figures_of(const ModalDecay& decay, double direct) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::array<double, fitted_figures.size()> values{};
  const DecayFigures lines = decay_figures(decay, direct);
  double all = direct, late = 0.0;
  for (std::size_t i = 0; i < decay.rates.size(); ++i) {
    all += decay.amplitudes[i];
    late += decay.amplitudes[i] * std::exp(-decay.rates[i] * early);
  }
  const double raw[] = {lines.T20.value_or(none), lines.EDT.value_or(none),
                        late > 0.0 ? 10.0 * std::log10((all - late) / late) : none,
                        all > 0.0 ? 10.0 * std::log10(all) : none};  // but for a constant
  for (std::size_t f = 0; f < values.size(); ++f) values[f] = in_steps(f, raw[f]);
  return values;
}

// One octave, for one source.
class OctaveModel {
 public:
  OctaveModel(const Scene& scene, const DiffusionRoom& room, const MeanChords& chords, DiffusionModel& model,
              const OctaveAdmittance& admittance, double centre)
      : scene_(scene), room_(room), chords_(chords), model_(model), admittance_(admittance), centre_(centre) {
    for (const std::string& name : room.materials)
      base_.push_back(
          std::clamp(stated_absorption(scene.materials.at(name), centre, scene.air.speed()), faintest, 0.95));
    attenuation_ = scene.air.absorption ? nepers(air_attenuation(air_state(scene.air), centre)) : 0.0;
  }

  // At all receivers; the material's exponent, if one is given, is larger by the factor exp(change).
  std::vector<std::array<double, fitted_figures.size()>> figures(std::size_t source,
                                                                 std::optional<std::size_t> material) {
    std::vector<double> alpha = base_;
    if (material) alpha[*material] = alpha_of(unknown_of(alpha[*material]) + change);
    model_.set_band(alpha, attenuation_);
    const DiffusionField field = model_.solve(source);
    std::optional<ModalDecay> smooth;
    if (chords_.box) smooth = smooth_decay(box(material), scene_.air.speed(), attenuation_, centre_);
    std::vector<std::array<double, fitted_figures.size()>> all;
    for (std::size_t r = 0; r < room_.receivers.size(); ++r) {
      ModalDecay decay = field.decays[r];
      if (smooth && !smooth->rates.empty()) {
        decay = *smooth;
        for (double& amplitude : decay.amplitudes) amplitude *= field.diffuse[r];
      }
      all.push_back(figures_of(decay, field.direct[r]));
    }
    return all;
  }

  std::size_t materials() const { return base_.size(); }

 private:
  // Its walls' admittances are taken in proportion to their exponents, as weak absorption is.
  SmoothBox box(std::optional<std::size_t> louder) const {
    SmoothBox result;
    result.sides = chords_.sides;
    result.admittance = [this, louder](double frequency) {
      std::array<std::complex<double>, 6> sides{};
      for (std::size_t side = 0; side < 6; ++side) {
        double area = 0.0;
        for (std::size_t m = 0; m < base_.size(); ++m) {
          const double one = chords_.areas[side][m];
          if (!(one > 0.0)) continue;
          area += one;
          sides[side] +=
              one * (louder == m ? std::exp(change) : 1.0) * admittance_(room_.materials[m], centre_, frequency);
        }
        if (area > 0.0) sides[side] /= area;
      }
      return sides;
    };
    return result;
  }

  const Scene& scene_;
  const DiffusionRoom& room_;
  const MeanChords& chords_;
  DiffusionModel& model_;
  const OctaveAdmittance& admittance_;
  double centre_, attenuation_ = 0.0;
  std::vector<double> base_;  // alpha, by material
};

void add_slopes(OctaveModel& octave, std::size_t source, std::size_t receivers, std::vector<double>& slopes) {
  const std::size_t count = octave.materials();
  const auto base = octave.figures(source, std::nullopt);
  for (std::size_t m = 0; m < count; ++m) {
    const auto changed = octave.figures(source, m);
    for (std::size_t r = 0; r < receivers; ++r)
      for (std::size_t f = 0; f < fitted_figures.size(); ++f) {
        const double slope = (changed[r][f] - base[r][f]) / change;
        slopes[((source * receivers + r) * fitted_figures.size() + f) * count + m] = std::isfinite(slope) ? slope : 0.0;
      }
  }
}

}  // namespace

Sensitivities estimate_sensitivities(const Scene& scene, const std::vector<double>& octaves, std::int64_t cells) {
  std::vector<std::string> remarks;
  const DiffusionRoom room = estimate_room(scene, cells, remarks);
  DiffusionModel prepared(room, scene.air.speed(), modes);
  const MeanChords chords = mean_chords(scene, room);
  const OctaveAdmittance admittance = fitted_admittance(scene);
  if (chords.box)
    for (const std::string& name : room.materials) admittance(name, 1000.0, 1000.0);  // fitted once, before threads
  Sensitivities result;
  result.materials = room.materials;
  result.areas = room.areas;
  result.sources = room.sources.size();
  result.receivers = room.receivers.size();
  const std::size_t each = result.sources * result.receivers * fitted_figures.size() * room.materials.size();
  result.slopes.assign(octaves.size(), std::vector<double>(each, 0.0));
  for (std::size_t s = 0; s < result.sources; ++s) {
    prepared.prepare_source(s);
    ParallelFailure failure;
#pragma omp parallel
    {
      std::optional<DiffusionModel> model;
#pragma omp for schedule(dynamic)
      for (std::size_t o = 0; o < octaves.size(); ++o)
        failure.guard([&] {
          if (!model) model.emplace(prepared);
          OctaveModel octave(scene, room, chords, *model, admittance, octaves[o]);
          add_slopes(octave, s, result.receivers, result.slopes[o]);
        });
    }
    failure.rethrow();
  }
  return result;
}

}  // namespace fdtd
