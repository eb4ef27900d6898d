#include "engine/estimate/reverberation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "base/error.hpp"
#include "base/rounded_text.hpp"
#include "engine/estimate/estimate.hpp"
#include "engine/estimate/mode_count.hpp"
#include "engine/responses/air_absorption.hpp"

namespace fdtd {
namespace {

constexpr std::array octaves = {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0};
constexpr double rounded = 1.01;  // bandwidths are, and figures of merit allow for it
constexpr double longest_duration = 3600.0;

bool reached(double centre, double max_frequency) { return centre * std::numbers::sqrt2 <= rounded * max_frequency; }

double eyring(const RoomExtent& room, const OctaveAbsorption& absorption, const Air& air, double centre) {
  double surface = 0.0, absorbing = 0.0;
  for (const auto& [material, area] : room.areas) {
    surface += area;
    absorbing += area * absorption(material, centre);
  }
  constexpr double most = 1.0 - 1e-9;  // of a mean coefficient: the logarithm stays finite
  double area = surface > 0.0 ? -surface * std::log1p(-std::min(absorbing / surface, most)) : 0.0;
  if (air.absorption) area += 4.0 * room.volume * air_attenuation(air_state(air), centre) * std::numbers::ln10 / 10.0;
  if (!(area > 0.0)) return std::numeric_limits<double>::infinity();
  return 24.0 * std::numbers::ln10 * room.volume / (air.speed() * area);
}

}  // namespace

const char* name_of(ReverberationBand::Model model) {
  return model == ReverberationBand::Model::formula     ? "Eyring"
         : model == ReverberationBand::Model::diffusion ? "diffusion"
                                                        : "box modes";
}

const char* about_model(ReverberationBand::Model model) {
  return model == ReverberationBand::Model::formula     ? "Eyring's formula"
         : model == ReverberationBand::Model::diffusion ? "the diffusion equation"
                                                        : "the modes of a box with smooth walls";
}

std::vector<ReverberationBand> estimate_reverberation(const RoomExtent& room, const OctaveAbsorption& absorption,
                                                      const Air& air, double max_frequency) {
  std::vector<ReverberationBand> bands;
  for (const double centre : octaves)
    if (reached(centre, max_frequency)) bands.push_back({centre});
  if (bands.empty()) bands.push_back({max_frequency / std::numbers::sqrt2});
  for (ReverberationBand& band : bands) {
    band.seconds = band.eyring = band.slowest = eyring(room, absorption, air, band.centre);
    band.modes = modes_of_octave(room, band.centre, air.speed());
  }
  return bands;
}

namespace {

// The scene with some of its receivers, from the first to the last: decays differ from part to part of a room, not from
// seat to seat.
Scene with_receivers(const Scene& scene, std::size_t most) {
  Scene few;
  few.file = scene.file;
  few.simulation = scene.simulation;
  few.air = scene.air;
  few.room = scene.room;
  few.materials = scene.materials;
  few.sources = scene.sources;
  for (std::size_t i = 0; i < most; ++i)
    few.receivers.push_back(scene.receivers[i * (scene.receivers.size() - 1) / (most - 1)]);
  return few;
}

}  // namespace

void expect_decay(std::vector<ReverberationBand>& bands, const Scene& scene, const OctaveAbsorption& absorption) {
  // Decays differ from part to part of a room, and some thousand cells and five modes have its parts: T30 of a cube is
  // Eyring's within 0.1 % for absorption up to 0.6, beyond which nothing was compared (docs/explanation/diffusion.md,
  // section 3).
  constexpr std::size_t max_receivers = 256;
  constexpr std::int64_t cells = 3000;
  constexpr int modes = 5;
  constexpr double max_absorbing = 0.6;
  EstimateOptions options;
  options.cells = cells;
  options.modes = scene.room.mesh ? modes : 0;  // of a box its own modes decay: levels alone are needed
  options.air = scene.air.absorption;
  options.octaves.clear();
  for (const ReverberationBand& band : bands) {
    if (!std::isfinite(band.seconds)) return;  // some band absorbs nothing
    options.octaves.push_back(band.centre);
  }
  if (scene.receivers.empty()) return;
  try {
    const bool many = scene.receivers.size() > max_receivers;
    const Estimate found = estimate(many ? with_receivers(scene, max_receivers) : scene, options, absorption);
    for (std::size_t b = 0; b < bands.size(); ++b) {
      const EstimatedBand& one = found.bands[b];
      if (one.T30 && one.steady() && (found.box || one.mean_absorption <= max_absorbing)) {
        bands[b].seconds = *one.T30;
        bands[b].model = found.box ? ReverberationBand::Model::box_modes : ReverberationBand::Model::diffusion;
      }
      // 1.25 times this are 54 dB of the slowest modes: 45, and 9 for the octave's filter and other places.
      const double of_modes = 0.72 * one.slowest_modes.value_or(0.0);
      bands[b].slowest = std::max({bands[b].seconds, bands[b].eyring, one.smooth.value_or(0.0), of_modes});
    }
  } catch (const Error& error) {
    if (error.status != Status::scene) throw;  // the grid of the run may hold what so coarse a one does not
  }
}

double automatic_duration(const std::vector<ReverberationBand>& bands) {
  double longest = 0.0;
  for (const ReverberationBand& band : bands) {
    if (!std::isfinite(band.seconds))
      throw Error(Status::scene,
                  fmt::format("simulation.duration: \"auto\" finds no end: nothing absorbs in the octave of {:g} Hz",
                              band.centre),
                  "give the duration in seconds");
    longest = std::max({longest, band.seconds, band.slowest});
  }
  const double duration = std::ceil(100.0 * duration_of_longest * longest - 1e-9) / 100.0;
  if (duration > longest_duration)
    throw Error(Status::scene,
                fmt::format("simulation.duration: \"auto\" is {:.4g} s, more than {:g} s", duration, longest_duration),
                "give the duration in seconds");
  return duration;
}

std::vector<std::string> reverberation_remarks(const std::vector<ReverberationBand>& bands,
                                               const std::vector<MaterialFit>& materials, const Simulation& simulation,
                                               double max_frequency) {
  std::vector<std::string> remarks;
  std::string too_long;
  double longest = 0.0;
  for (const ReverberationBand& band : bands) {
    if (!std::isfinite(band.seconds) || simulation.duration >= duration_for_T30 * band.seconds) continue;
    too_long += fmt::format("{}{:g} Hz", too_long.empty() ? "" : ", ", band.centre);
    longest = std::max(longest, band.seconds);
  }
  if (!too_long.empty())
    remarks.push_back(fmt::format(
        "duration, {:g} s, is too short for T30 in the octaves of {}: with an estimated reverberation time "
        "of {:.2g} s it takes {} s; duration = \"auto\" takes {:g} times the slowest",
        simulation.duration, too_long, longest, rounded_up_text(duration_for_T30 * longest, 2), duration_of_longest));
  std::set<double> requested;
  for (const MaterialFit& fit : materials)
    if (fit.kind == Material::Kind::absorption)
      for (const double band : fit.bands)
        if (!reached(band, max_frequency)) requested.insert(band);
  if (!requested.empty()) {
    std::string list;
    for (const double band : requested) list += fmt::format("{}{:g}", list.empty() ? "" : ", ", band);
    remarks.push_back(
        fmt::format("{}, {:g} Hz, leaves out octaves for which materials state absorption: {} Hz; they have no "
                    "figures, because an octave needs 1.42 times its centre",
                    simulation.max_frequency ? "max_frequency" : "the valid bandwidth", max_frequency, list));
  }
  return remarks;
}

ExpectedDecay expected_decay(const Scene& scene, const RoomExtent& extent, double max_frequency) {
  const OctaveAbsorption absorption = stated_absorption(scene);
  ExpectedDecay decay;
  decay.bands = estimate_reverberation(extent, absorption, scene.air, max_frequency);
  expect_decay(decay.bands, scene, absorption);
  decay.schroeder_frequency = schroeder_frequency(decay.bands, extent.volume);
  return decay;
}

}  // namespace fdtd
