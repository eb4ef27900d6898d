#include "engine/estimate/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/estimate/mean_chords.hpp"
#include "engine/estimate/smooth_walls.hpp"
#include "engine/materials/material_law.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/responses/air_absorption.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd {
namespace {

constexpr double max_absorbing = 0.3;  // mean coefficient
constexpr double max_slender = 4.0;    // longest side over shortest
constexpr double shortest_in_paths = 10.0;
constexpr int finest_tries = 3;

constexpr double fraction_of_slowest = 1e-3;
constexpr double clearly_longer = 1.1;  // of two decays
constexpr std::size_t named = 6;        // materials in a remark

constexpr std::array<EstimateLimit, 6> limits = {{
    {"modes",
     "the octave is below the Schroeder frequency, 2000 sqrt(T/V): single modes, which the model does not know, "
     "decide"},
    {"absorbing",
     "the mean absorption coefficient is above 0.3: early reflections, which the model does not know, decide more"},
    {"slender",
     "the room's longest side is more than 4 times its shortest: EDT and T30, and G of a source that sees neither "
     "its part of the room nor far into it, take walls that scatter; smooth ones carry sound further along a flat or "
     "long room: T30 is up to that of the column \"smooth s\""},
    {"uneven",
     "walls absorb unevenly, or the room is flat or long: smooth parallel walls keep sound between those that absorb "
     "least, walls that scatter do not, and T30 of the two, \"scatter s\" and \"smooth s\", differs by more than 10 %. "
     "That "
     "of a box is of smooth walls; runs have 0.9 to 1.5 times it, seldom more. That of other rooms is of walls that "
     "scatter; the room's own lies between the two, of an empty room near the longer"},
    {"near", "the receiver is within a mean free path of the source: single early reflections decide"},
    {"short", "the room reverberates for less than 10 mean free paths: its sound does not become diffuse"},
}};

double per_metre(double decibels) { return decibels * std::numbers::ln10 / 10.0; }

GridChoice coarse_choice(const Scene& scene, double h) {
  GridChoice choice;
  choice.stencil = *find_stencil("leggy-1");
  const double lambda = choice.stencil.courant;
  choice.grid_stencil = on_grid(choice.stencil, {lambda, lambda, lambda});
  choice.grid.sound_speed = scene.air.speed();
  for (std::size_t d = 0; d < 3; ++d) {
    const double n = std::max(1.0, std::round(scene.room.box[d] / h));
    choice.grid.size[d] = static_cast<int>(std::min(n, 1e6));
    choice.grid.spacing[d] = scene.room.box[d] / choice.grid.size[d];
  }
  for (std::size_t d = 0; d < 3; ++d) choice.offset[d] = -scene.room.origin[d];
  return choice;
}

}  // namespace

bool slender(const Scene& scene) {
  const auto sides = std::minmax({scene.room.box[0], scene.room.box[1], scene.room.box[2]});
  return sides.second > max_slender * sides.first;
}

std::span<const EstimateLimit> estimate_limits() { return limits; }

OctaveAbsorption stated_absorption(const Scene& scene) {
  return [&scene](const std::string& name, double centre) {
    return stated_absorption(scene.materials.at(name), centre, scene.air.speed());
  };
}

OctaveAdmittance fitted_admittance(const Scene& scene) {
  auto laws = std::make_shared<std::map<std::string, MaterialLaw>>();
  return [&scene, laws](const std::string& name, double /*centre*/, double frequency) {
    const auto [place, is_new] = laws->try_emplace(name);
    if (is_new) place->second = MaterialLaw(scene.materials.at(name), scene.air.speed());
    return place->second.admittance(frequency);
  };
}

DiffusionRoom estimate_room(const Scene& scene, std::int64_t cells, std::vector<std::string>& remarks) {
  const auto& box = scene.room.box;
  double h = std::cbrt(box[0] * box[1] * box[2] / static_cast<double>(cells));
  if (!scene.room.mesh) {
    GridChoice choice = coarse_choice(scene, h);  // a side shorter than h still takes a cell
    while (choice.grid.nodes() > 2 * cells) choice = coarse_choice(scene, h *= 1.25);
    RoomVoxels room = make_room(scene, choice);
    return make_diffusion_room(room.voxels, box[0] * box[1] * box[2], room.sources, room.receivers);
  }
  for (int tries = 1;; ++tries, h *= 0.6) {
    try {
      RoomVoxels room = make_room(scene, coarse_choice(scene, h), true);
      for (const std::string& remark : room.remarks)
        if (remark.starts_with("receiver ")) remarks.push_back(remark);
      return make_diffusion_room(room.voxels, room.mesh->volume, room.sources, room.receivers);
    } catch (const Error& error) {
      if (tries == finest_tries || error.status != Status::scene) throw;
    }
  }
}

namespace {

// Each side has the mean admittance of its materials.
SmoothBox smooth_box(const MeanChords& chords, const DiffusionRoom& room, const OctaveAdmittance& admittance_of,
                     double centre) {
  SmoothBox box;
  box.sides = chords.sides;
  box.admittance = [&chords, &room, &admittance_of, centre](double frequency) {
    std::array<std::complex<double>, 6> result{};
    for (std::size_t side = 0; side < 6; ++side) {
      double area = 0.0;
      for (std::size_t m = 0; m < chords.areas[side].size(); ++m) {
        const double one = chords.areas[side][m];
        if (!(one > 0.0)) continue;
        area += one;
        result[side] += one * admittance_of(room.materials[m], centre, frequency);
      }
      if (area > 0.0) result[side] /= area;
    }
    return result;
  };
  return box;
}

// Of each octave; sets those figures of the estimate that follow from them alone.
std::vector<ModalDecay> smooth_decays(const Scene& scene, Estimate& result) {
  const MeanChords chords = mean_chords(scene, result.room);
  result.box = chords.box;
  const OctaveAdmittance admittance_of = fitted_admittance(scene);
  std::vector<ModalDecay> decays;
  for (EstimatedBand& band : result.bands) {
    const SmoothBox box = smooth_box(chords, result.room, admittance_of, band.centre);
    decays.push_back(smooth_decay(box, scene.air.speed(), per_metre(band.attenuation), band.centre));
    const ModalDecay& decay = decays.back();
    if (decay.rates.empty()) continue;
    band.smooth = decay_figures(decay, 0.0).T30;
    double held = decay.amplitudes[0];
    std::size_t slow = 0;
    while (held < fraction_of_slowest && slow + 1 < decay.rates.size()) held += decay.amplitudes[++slow];
    band.slowest_modes = 6.0 * std::numbers::ln10 / decay.rates[slow];
  }
  return decays;
}

// Where tables of absorption end within the octaves, their last values are repeated.
void note_repeated(const Scene& scene, const DiffusionRoom& room, const EstimateOptions& options,
                   std::vector<std::string>& remarks) {
  struct Group {
    std::vector<std::string> materials;
    std::string octaves;
  };
  std::map<std::pair<double, double>, Group> groups;  // by the first and the last band
  for (const std::string& name : room.materials) {
    const Material& material = scene.materials.at(name);
    if (material.kind != Material::Kind::absorption || material.bands.empty()) continue;
    const auto ends = std::pair(material.bands.front(), material.bands.back());
    std::string octaves;
    for (const double centre : options.octaves)
      if (centre < 0.98 * ends.first || centre > 1.02 * ends.second)
        octaves += fmt::format("{}{:g}", octaves.empty() ? "" : ", ", centre);
    if (octaves.empty()) continue;
    Group& group = groups[ends];
    group.materials.push_back(name);
    group.octaves = octaves;
  }
  for (const auto& [ends, group] : groups) {
    std::string names;
    for (std::size_t i = 0; i < std::min(named, group.materials.size()); ++i)
      names += (i == 0 ? "" : ", ") + group.materials[i];
    if (group.materials.size() > named) names += fmt::format(" and {} more", group.materials.size() - named);
    remarks.push_back(fmt::format("the absorption of {} is stated from {:g} to {:g} Hz: {} Hz repeat its nearest value",
                                  names, ends.first, ends.second, group.octaves));
  }
}

// Parts that do not depend on the source.
EstimatedBand band_of(const Scene& scene, const DiffusionRoom& room, const EstimateOptions& options, double centre,
                      const std::vector<double>& alpha) {
  EstimatedBand band;
  band.centre = centre;
  double absorbing = 0.0;
  for (std::size_t m = 0; m < alpha.size(); ++m) absorbing += room.areas[m] * alpha[m];
  band.attenuation = options.air ? air_attenuation(air_state(scene.air), centre) : 0.0;
  band.mean_absorption = room.area > 0.0 ? absorbing / room.area : 0.0;
  const double air = 4.0 * per_metre(band.attenuation) * room.volume;
  const double scale = 24.0 * std::numbers::ln10 * room.volume / scene.air.speed();
  const double dead = -room.area * std::log1p(-std::min(band.mean_absorption, 1.0 - 1e-9));
  if (absorbing + air > 0.0) band.sabine = scale / (absorbing + air), band.eyring = scale / (dead + air);
  return band;
}

EstimatedReceiver receiver_of(const DiffusionRoom& room, const DiffusionModel& model, const DiffusionField& field,
                              double speed, const ModalDecay* smooth, std::size_t s, std::size_t r) {
  EstimatedReceiver one;
  const auto& from = room.sources[s];
  const auto& to = room.receivers[r];
  const auto cell = room.cell_at(to);
  if (!model.reached(s)[room.cell_of(cell[0], cell[1], cell[2])]) return one;
  const double over_direct = speed * 4.0 * std::numbers::pi * 100.0;  // of 1 W at 10 m
  const double level = field.diffuse[r] + field.direct[r];
  if (level > 0.0) one.G = 10.0 * std::log10(level * over_direct);
  if (field.direct[r] > 0.0) one.direct = 10.0 * std::log10(field.direct[r] * over_direct);
  if (smooth != nullptr && !smooth->rates.empty() && field.diffuse[r] > 0.0) {
    ModalDecay decay = *smooth;
    for (double& amplitude : decay.amplitudes) amplitude *= field.diffuse[r];
    one.decay = decay_figures(decay, field.direct[r]);
    one.decay.slopes.resize(std::min<std::size_t>(one.decay.slopes.size(), 1));  // of many modes: no pair of slopes
  } else {
    one.decay = decay_figures(field.decays[r], field.direct[r]);
  }
  if (std::hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2]) < 4.0 * room.volume / room.area)
    one.limits.emplace_back("near");
  return one;
}

void take_longest(std::optional<double>& longest, const std::optional<double>& one) {
  if (one) longest = std::max(longest.value_or(0.0), *one);
}

void judge(const Scene& scene, const DiffusionRoom& room, bool box, EstimatedBand& band) {
  const double path = 4.0 * room.volume / std::max(room.area, 1e-9);
  const double time = band.T30.value_or(band.eyring.value_or(0.0));
  const bool decays = band.endless.size() < room.sources.size();
  if (decays && band.centre < 2000.0 * std::sqrt(time / room.volume)) band.limits.emplace_back("modes");
  if (band.mean_absorption > max_absorbing) band.limits.emplace_back("absorbing");
  if (slender(scene) && !box) band.limits.emplace_back("slender");
  if (band.scatter && band.smooth && *band.smooth > clearly_longer * *band.scatter) band.limits.emplace_back("uneven");
  if (decays && time * scene.air.speed() < shortest_in_paths * path) band.limits.emplace_back("short");
}

}  // namespace

Estimate estimate(const Scene& scene, const EstimateOptions& options, const OctaveAbsorption& absorption,
                  const MapField& map) {
  Estimate result;
  result.room = estimate_room(scene, options.cells, result.remarks);
  const DiffusionRoom& room = result.room;
  DiffusionModel prepared(room, scene.air.speed(), options.modes, options.make_solver);
  note_repeated(scene, room, options, result.remarks);
  std::vector<std::vector<double>> alphas;
  for (const double centre : options.octaves) {
    alphas.emplace_back();
    for (const std::string& material : room.materials) alphas.back().push_back(absorption(material, centre));
    result.bands.push_back(band_of(scene, room, options, centre, alphas.back()));
  }
  const std::vector<ModalDecay> smooth = smooth_decays(scene, result);
  std::vector<std::vector<DiffusionField>> fields(result.bands.size());
  const auto solve = [&](DiffusionModel& model, std::size_t b, std::size_t s) {
    EstimatedBand& band = result.bands[b];
    model.set_band(alphas[b], per_metre(band.attenuation));
    const bool absorbed = model.absorbs(s);
    if (!absorbed) band.endless.push_back(s);
    fields[b].push_back(absorbed ? model.solve(s) : DiffusionField());
    std::vector<EstimatedReceiver>& at = band.receivers.emplace_back();
    for (std::size_t r = 0; r < room.receivers.size() && absorbed; ++r) {
      const DiffusionField& field = fields[b].back();
      at.push_back(receiver_of(room, model, field, scene.air.speed(), result.box ? &smooth[b] : nullptr, s, r));
      take_longest(band.T30, at.back().decay.T30);
      take_longest(band.scatter, decay_figures(field.decays[r], field.direct[r]).T30);
    }
    if (!map) fields[b].back().steady = std::vector<double>();
  };
  constexpr std::size_t few_cells = 40000;  // of all solves: some milliseconds
  const std::size_t solves = result.bands.size() * (1 + static_cast<std::size_t>(options.modes));
  const bool worth_threads = room.air.size() * solves > few_cells;
  for (std::size_t s = 0; s < room.sources.size(); ++s) {
    prepared.prepare_source(s);
    result.sources.push_back({prepared.in_sight_fraction(), prepared.farthest_in_sight(), prepared.straight()});
    ParallelFailure failure;
    // A band a thread: the solves of one band are too short for several. A thread's bands have one model, and its
    // solvers: levels and memory are made once for all of them.
#pragma omp parallel if (options.side_by_side && worth_threads)
    {
      std::optional<DiffusionModel> model;
#pragma omp for schedule(dynamic)
      for (std::size_t b = 0; b < result.bands.size(); ++b)
        failure.guard([&] {
          if (!model) model.emplace(prepared);
          solve(*model, b, s);
        });
    }
    failure.rethrow();
  }
  for (EstimatedBand& band : result.bands) judge(scene, room, result.box, band);
  for (std::size_t b = 0; b < fields.size(); ++b)
    for (std::size_t s = 0; s < fields[b].size(); ++s) {
      result.iterations += fields[b][s].iterations;
      if (map && !fields[b][s].steady.empty()) map(room, prepared, fields[b][s], result.bands[b], b, s);
    }
  return result;
}

}  // namespace fdtd
