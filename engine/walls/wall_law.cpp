#include "engine/walls/wall_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/touched_pages.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/smooth_grid_fit.hpp"
#include "engine/walls/tap_owners.hpp"
#include "engine/walls/wall_sites.hpp"
#include "engine/walls/wall_taps.hpp"
#include "engine/walls/wall_waves.hpp"

namespace fdtd {
namespace {

// Laws of a material across an axis. `wide`: towards increasing and decreasing coordinates, laws of the most nodes
// first.
struct AxisLaws {
  std::uint32_t plain = no_law;
  std::array<std::array<std::uint32_t, 2>, 2> wide = {{{no_law, no_law}, {no_law, no_law}}};
};
using LawsByAxis = std::array<AxisLaws, 3>;

std::vector<LawsByAxis> index_laws(const std::vector<WallLaw>& laws, std::size_t materials) {
  std::vector<LawsByAxis> index(materials);
  for (std::size_t l = 0; l < laws.size(); ++l) {
    const WallLaw& law = laws[l];
    AxisLaws& known = index.at(static_cast<std::size_t>(law.material)).at(static_cast<std::size_t>(law.axis));
    const auto number = static_cast<std::uint32_t>(l);
    if (law.inward == 0) {
      known.plain = number;
      continue;
    }
    auto& [most, fewer] = known.wide[law.inward > 0 ? 0 : 1];
    (most == no_law ? most : fewer) = number;
    if (fewer != no_law && laws[most].taps.size() < laws[fewer].taps.size()) std::swap(most, fewer);
  }
  return index;
}

constexpr double min_points_a_wavelength = 4.0;  // of a resonance that is prewarped

// The factor by which the trapezoidal rule's 2 tan(w/2) becomes omega T at the resonance of the branch; 1 without a
// resonance, or if the grid does not resolve it.
double prewarp(const Branch& branch, double time_step, double highest, const FrequencyMap& map) {
  if (!(branch.D > 0.0 && branch.F > 0.0)) return 1.0;
  const double truth = std::sqrt(branch.F / branch.D) * time_step;
  if (truth > highest || truth >= map.limit()) return 1.0;
  const double omega = map.grid(truth);
  return truth / (2.0 * std::tan(omega / 2.0));
}

}  // namespace

WallLaw plain_wall_law(const MaterialFit& fit, int material, int axis, const Grid& grid, const FrequencyMap& map) {
  if (fit.branches.empty()) throw std::invalid_argument("plain_wall_law: a rigid material has no law");
  WallLaw law;
  law.material = material;
  law.axis = axis;
  law.inertance = grid.spacing[static_cast<std::size_t>(axis)] / (2.0 * grid.sound_speed * grid.time_step);
  for (const Branch& branch : fit.branches) {
    if (!(branch.D + branch.E + branch.F > 0.0)) {
      throw Error(Status::scene, fmt::format("material {}: a branch with D = E = F = 0 has no impedance", fit.name),
                  "give the branch a resistance E above 0");
    }
    const double courant = 1.0 / (2.0 * law.inertance);
    const double highest = 2.0 * std::numbers::pi * courant / min_points_a_wavelength;
    const double warp = prewarp(branch, grid.time_step, highest, map);
    law.branches.push_back({branch.D / grid.time_step * warp, branch.E, branch.F * grid.time_step / warp});
  }
  return law;
}

namespace {

// Common to walls across one axis: the weights of the nodes that they read, and the waves that meet them.
struct AxisWalls {
  std::vector<double> taps{1.0}, few_taps;  // few_taps: where there is no room for `taps`; empty where those are few
  std::vector<WallWave> plain, wide, few;   // of a law that reads one node, and of laws with these taps
};

AxisWalls walls_across(int axis, const GridStencil& stencil, const FrequencyMap& map, double highest,
                       const TapNeed& need) {
  AxisWalls walls;
  walls.taps = make_wall_taps(stencil, axis, highest, need).taps;
  walls.plain = wall_waves(stencil, axis, map, highest);
  return walls;
}

// Of the axes that are like no other before them. All walls read the same number of nodes: kernels are made for one.
void load_walls(std::array<AxisWalls, 3>& walls, const std::array<int, 3>& like, const GridStencil& stencil,
                double highest) {
  std::size_t most = 1;
  for (const AxisWalls& one : walls) most = std::max(most, one.taps.size());
  for (int axis = 0; axis < 3; ++axis) {
    AxisWalls& one = walls[static_cast<std::size_t>(axis)];
    if (like[static_cast<std::size_t>(axis)] != axis || one.plain.empty()) continue;
    if (one.taps.size() < most) one.taps = fit_wall_taps(stencil, axis, highest, static_cast<int>(most)).taps;
    one.wide = one.plain;
    if (most > few_wall_taps) {
      one.few_taps = fit_wall_taps(stencil, axis, highest, few_wall_taps).taps;
      one.few = one.plain;
      load_waves(one.few, stencil, axis, one.few_taps);
    }
    load_waves_at_wall(one.plain, stencil.courant[static_cast<std::size_t>(axis)]);
    load_waves(one.wide, stencil, axis, one.taps);
  }
}

// The inertance that balances the reactance of the half-space before the taps.
double balancing_inertance(const std::vector<WallWave>& waves) {
  double above = 0.0, below = 0.0;
  for (const WallWave& wave : waves) {
    const double reactance = 2.0 * std::tan(wave.omega / 2.0);
    above -= wave.load.imag() * reactance;
    below += reactance * reactance;
  }
  return below > 0.0 ? std::max(0.0, above / below) : 0.0;
}

// The laws of a material by axis; `few` without taps where there are none.
struct MaterialLaws {
  std::array<WallLaw, 3> plain, wide, few;
};

MaterialLaws laws_of(const MaterialFit& fit, int material, const Grid& grid, const std::array<AxisWalls, 3>& walls,
                     const std::array<int, 3>& like, const FrequencyMap& map) {
  MaterialLaws laws;
  std::optional<GridFit> near_wide, near_few, near_plain;
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const AxisWalls& across = walls[static_cast<std::size_t>(like[d])];
    WallLaw &plain = laws.plain[d], &wide = laws.wide[d], &few = laws.few[d];
    plain = plain_wall_law(fit, material, axis, grid, map);
    wide = few = plain;
    wide.taps = across.taps;
    few.taps = across.few_taps;
    if (like[d] != axis) {
      const auto same = static_cast<std::size_t>(like[d]);
      plain.inertance = laws.plain[same].inertance, plain.branches = laws.plain[same].branches;
      wide.inertance = laws.wide[same].inertance, wide.branches = laws.wide[same].branches;
      few.inertance = laws.few[same].inertance, few.branches = laws.few[same].branches;
    } else if (!across.wide.empty() && fits_on_grid(fit.branches)) {
      const auto fitted = [&](const std::vector<WallWave>& waves, const GridFit* near) {
        return fit.smooth_law ? smooth_fit_on_grid(fit.branches, grid.time_step, waves)
                              : fit_on_grid(fit.branches, grid.time_step, waves, near);
      };
      // Spacings of the axes differ by little, and so do their fits.
      near_wide = fitted(across.wide, near_wide ? &*near_wide : nullptr);
      near_plain = fitted(across.plain, near_plain ? &*near_plain : &*near_wide);
      wide.inertance = near_wide->inertance, wide.branches = near_wide->branches;
      plain.inertance = near_plain->inertance, plain.branches = near_plain->branches;
      if (across.few.empty()) continue;
      near_few = fitted(across.few, near_few ? &*near_few : &*near_wide);
      few.inertance = near_few->inertance, few.branches = near_few->branches;
    } else if (!across.wide.empty()) {
      wide.inertance = balancing_inertance(across.wide);
      few.inertance = across.few.empty() ? 0.0 : balancing_inertance(across.few);
    }
  }
  return laws;
}

}  // namespace

std::vector<WallLaw> make_wall_laws(std::span<const MaterialFit> fits, const Grid& grid, const GridStencil& stencil,
                                    const FrequencyMap& map, double max_frequency, double wall_error) {
  std::vector<std::size_t> lossy;  // materials
  for (std::size_t m = 0; m < fits.size(); ++m)
    if (!fits[m].branches.empty()) lossy.push_back(m);
  if (lossy.empty()) return {};
  const double highest =
      max_frequency > 0.0 ? 2.0 * std::numbers::pi * max_frequency * grid.time_step : four_points(stencil);
  std::array<AxisWalls, 3> walls;
  std::array<int, 3> like = {0, 1, 2};  // the first axis with the same Courant numbers around it
  const bool cube = stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2];
  for (int axis = 0; axis < 3; ++axis) {
    if (cube) like[static_cast<std::size_t>(axis)] = 0;
    if (like[static_cast<std::size_t>(axis)] == axis)
      walls[static_cast<std::size_t>(axis)] =
          walls_across(axis, stencil, map, highest, {wall_error, room_for_taps(grid.size)});
  }
  load_walls(walls, like, stencil, highest);
  std::vector<MaterialLaws> found(lossy.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (lossy.size() >= fits_worth_threads)
  for (std::size_t m = 0; m < lossy.size(); ++m)
    failure.guard([&] { found[m] = laws_of(fits[lossy[m]], static_cast<int>(lossy[m]), grid, walls, like, map); });
  failure.rethrow();
  std::vector<WallLaw> laws;
  for (const MaterialLaws& one : found) {
    for (std::size_t d = 0; d < 3; ++d) {
      laws.push_back(one.plain[d]);
      for (const WallLaw& wide : {one.wide[d], one.few[d]}) {
        for (const int inward : {1, -1}) {
          if (wide.taps.empty()) continue;
          laws.push_back(wide);
          laws.back().inward = inward;
        }
      }
    }
  }
  return laws;
}

std::vector<WallLaw> widest_laws(std::vector<WallLaw> laws) {
  std::size_t most = 1;
  for (const WallLaw& law : laws) most = std::max(most, law.taps.size());
  std::erase_if(laws, [most](const WallLaw& law) { return law.inward != 0 && law.taps.size() < most; });
  return laws;
}

namespace {

// The sites of some faces, which are all of their nodes.
std::vector<WallSite> sites_of(std::span<const BoundaryFace> faces, const std::vector<LawsByAxis>& index,
                               const Grid& grid) {
  std::vector<WallSite> sites;
  sites.reserve(faces.size());
  std::size_t first = 0;  // of this node
  for (const BoundaryFace& face : faces) {
    const std::size_t axis = face.side / 2U;
    const AxisLaws& kinds = index.at(face.material)[axis];
    if (kinds.plain == no_law || !(face.area > 0.0F)) continue;
    if (sites.empty() || sites[first].node != face.node) first = sites.size();
    const double weight = grid.sound_speed * grid.time_step / grid.spacing[axis] * static_cast<double>(face.area);
    const auto here = sites.begin() + static_cast<std::ptrdiff_t>(first);
    const auto same = std::find_if(here, sites.end(), [&](const WallSite& site) { return site.law == kinds.plain; });
    if (same != sites.end()) {
      same->weight += weight;
      same->wide = {no_law, no_law};
    } else {
      const auto place = std::find_if(here, sites.end(), [&](const WallSite& site) { return site.law > kinds.plain; });
      sites.insert(place, {face.node, kinds.plain, kinds.wide[face.side % 2U], weight});
    }
  }
  return sites;
}

}  // namespace

std::vector<WallSite> collect_sites(const Voxels& voxels, const std::vector<WallLaw>& laws, const Grid& grid) {
  constexpr std::size_t faces_a_list = 65536;
  const std::vector<LawsByAxis> index = index_laws(laws, voxels.materials.size());
  const std::span<const BoundaryFace> faces = voxels.faces;
  std::vector<std::vector<WallSite>> lists((faces.size() + faces_a_list - 1) / faces_a_list);
  const auto begin_of = [&](std::size_t list) {  // where a node begins
    std::size_t at = std::min(faces.size(), list * faces_a_list);
    while (at > 0 && at < faces.size() && faces[at].node == faces[at - 1].node) ++at;
    return at;
  };
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (lists.size() > 1)
  for (std::size_t l = 0; l < lists.size(); ++l) {
    failure.guard([&] {
      const std::size_t begin = begin_of(l);
      lists[l] = sites_of(faces.subspan(begin, begin_of(l + 1) - begin), index, grid);
    });
  }
  failure.rethrow();
  std::vector<WallSite> sites = concatenated(lists);
  if (sites.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(Status::resource, "more than 2^32 boundary sites", "choose a coarser grid");
  return sites;
}

Boundary make_boundary(const Voxels& voxels, std::vector<WallLaw> laws, const Grid& grid, const NearWall& near_wall) {
  std::vector<WallSite> sites = collect_sites(voxels, laws, grid);
  choose_tap_owners(sites, laws, voxels.air, voxels.cut, near_wall);
  return boundary_of(sites, std::move(laws), near_wall);
}

Boundary boundary_of(const std::vector<WallSite>& sites, std::vector<WallLaw> laws, const NearWall& near_wall) {
  Boundary boundary;
  boundary.laws = std::move(laws);
  boundary.nodes.reserve(sites.size());
  boundary.site_begin.reserve(sites.size() + 1);
  boundary.sites.reserve(sites.size());
  boundary.branch_begin.reserve(sites.size() + 1);
  std::unordered_map<std::uint32_t, std::uint32_t> groups;       // numbered in the order of their first sites
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // group, boundary node
  auto mass = near_wall.masses.begin();
  for (std::size_t s = 0; s < sites.size(); ++s) {
    if (s == 0 || sites[s].node != sites[s - 1].node || sites[s].group != no_group) {
      boundary.nodes.push_back(sites[s].node);
      boundary.site_begin.push_back(boundary.site_begin.back());
      if (!near_wall.masses.empty()) {
        while (mass != near_wall.masses.end() && mass->node < sites[s].node) ++mass;
        const bool has_mass = mass != near_wall.masses.end() && mass->node == sites[s].node;
        boundary.inverse_mass.push_back(has_mass ? 1.0 / mass->mass : 1.0);
      }
    }
    boundary.sites.push_back({sites[s].law, sites[s].weight});
    boundary.branch_begin.push_back(boundary.branch_begin.back() + boundary.laws[sites[s].law].branches.size());
    ++boundary.site_begin.back();
    if (sites[s].group == no_group) continue;
    const auto node = static_cast<std::uint32_t>(boundary.nodes.size() - 1);
    groups.try_emplace(sites[s].group, static_cast<std::uint32_t>(groups.size()));
    members.emplace_back(groups.at(sites[s].group), node);
  }
  std::ranges::sort(members);
  for (std::size_t m = 0; m < members.size(); ++m) {
    boundary.coupled.push_back(members[m].second);
    if (m + 1 == members.size() || members[m + 1].first != members[m].first)
      boundary.coupled_begin.push_back(static_cast<std::uint32_t>(m + 1));
  }
  return boundary;
}

std::vector<TapFraction> fractions_of(const std::map<int, double>& areas) {
  double all = 0.0;
  for (const auto& [taps, area] : areas) all += area;
  std::vector<TapFraction> fractions;
  // Areas that are found by extrapolation differ from sums over all sites by rounding: the fractions must not.
  constexpr double digits = 1e6;
  for (const auto& [taps, area] : areas)
    if (const double fraction = std::round(area / all * digits) / digits; fraction > 0.0)
      fractions.push_back({taps, fraction});
  return fractions;
}

std::vector<TapFraction> tap_fractions(const Boundary& boundary) {
  // Both the weight of a face and its area are proportional to one over the spacing along its normal.
  std::map<int, double> areas;
  for (const BoundarySite& site : boundary.sites)
    areas[static_cast<int>(boundary.laws[site.law].taps.size())] += site.weight;
  return fractions_of(areas);
}

Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid,
                       const GridStencil& stencil, const NearWall& near_wall, const FrequencyMap& map,
                       double max_frequency) {
  return make_boundary(voxels, make_wall_laws(fits, grid, stencil, map, max_frequency), grid, near_wall);
}

}  // namespace fdtd
