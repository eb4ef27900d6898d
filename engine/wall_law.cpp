#include "engine/wall_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "engine/error.hpp"
#include "engine/wall_reading.hpp"

namespace fdtd {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// Laws of a material across an axis: [0] plain, [1] and [2] with taps towards rising and falling coordinates.
using LawsByAxis = std::array<std::array<std::uint32_t, 3>, 3>;

std::vector<LawsByAxis> index_laws(const std::vector<WallLaw>& laws, std::size_t materials) {
  constexpr std::array<std::uint32_t, 3> rigid = {none, none, none};
  std::vector<LawsByAxis> index(materials, {rigid, rigid, rigid});
  for (std::size_t l = 0; l < laws.size(); ++l) {
    const std::size_t which = laws[l].inward == 0 ? 0 : laws[l].inward > 0 ? 1 : 2;
    index.at(static_cast<std::size_t>(laws[l].material)).at(static_cast<std::size_t>(laws[l].axis))[which] =
        static_cast<std::uint32_t>(l);
  }
  return index;
}

// A site that might read several nodes: of boundary node `at`, by law `law`.
struct Candidate {
  std::size_t at;
  std::uint32_t law;
};

// The nodes that a law reads from `node` on; empty when one is wall or has a mass of its own.
std::vector<std::uint64_t> nodes_read(const WallLaw& law, std::uint64_t node, const AirMask& air,
                                      const NearWall& near_wall) {
  const auto [nx, ny, nz] = air.size();
  std::array<int, 3> at = {static_cast<int>(node % static_cast<std::uint64_t>(nx)),
                           static_cast<int>(node / static_cast<std::uint64_t>(nx) % static_cast<std::uint64_t>(ny)),
                           static_cast<int>(node / static_cast<std::uint64_t>(nx) / static_cast<std::uint64_t>(ny))};
  std::vector<std::uint64_t> nodes;
  for (std::size_t j = 0; j < law.taps.size(); ++j) {
    if (!air(at[0], at[1], at[2])) return {};
    nodes.push_back(
        static_cast<std::uint64_t>(at[0]) +
        static_cast<std::uint64_t>(nx) *
            (static_cast<std::uint64_t>(at[1]) + static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(at[2])));
    const auto mass = std::lower_bound(near_wall.masses.begin(), near_wall.masses.end(), nodes.back(),
                                       [](const NodeMass& m, std::uint64_t n) { return m.node < n; });
    if (mass != near_wall.masses.end() && mass->node == nodes.back() && mass->mass != 1.0) return {};
    at[static_cast<std::size_t>(law.axis)] += law.inward;
  }
  return nodes;
}

// Gives the candidates their law where no node would be read or worked at by two sites.
void widen(Boundary& boundary, const std::vector<Candidate>& candidates, const AirMask& air,
           const NearWall& near_wall) {
  std::vector<std::vector<std::uint64_t>> reads;
  std::vector<std::uint64_t> used = boundary.nodes;
  for (const Candidate& candidate : candidates) {
    reads.push_back(nodes_read(boundary.laws[candidate.law], boundary.nodes[candidate.at], air, near_wall));
    if (!reads.back().empty()) used.insert(used.end(), reads.back().begin() + 1, reads.back().end());
  }
  std::sort(used.begin(), used.end());
  const auto shared = [&](std::uint64_t node) {
    const auto first = std::lower_bound(used.begin(), used.end(), node);
    return first + 1 != used.end() && first[1] == node;
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (reads[c].empty() || std::any_of(reads[c].begin(), reads[c].end(), shared)) continue;
    boundary.sites[boundary.site_begin[candidates[c].at]].law = candidates[c].law;
  }
}

// What the trapezoidal rule's 2 tan(w/2) must be multiplied by to be omega T at the branch's resonance; 1 where there is
// none, or none that the grid carries well.
double prewarp(const Branch& branch, double time_step, double highest, bool time_dispersion_removal) {
  if (!(branch.D > 0.0 && branch.F > 0.0)) return 1.0;
  const double truth = std::sqrt(branch.F / branch.D) * time_step;
  if (truth > highest || truth >= 2.0) return 1.0;
  const double omega = time_dispersion_removal ? 2.0 * std::asin(truth / 2.0) : truth;
  return truth / (2.0 * std::tan(omega / 2.0));
}

}  // namespace

WallLaw plain_wall_law(const MaterialFit& fit, int material, int axis, const Grid& grid, bool time_dispersion_removal) {
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
    const double highest = 2.0 * std::numbers::pi * courant / reading_points_a_wavelength;
    const double warp = prewarp(branch, grid.time_step, highest, time_dispersion_removal);
    law.branches.push_back({branch.D / grid.time_step * warp, branch.E, branch.F * grid.time_step / warp});
  }
  return law;
}

std::vector<WallLaw> make_wall_laws(const std::vector<std::string>& materials, std::span<const MaterialFit> fits,
                                    const Grid& grid, const GridStencil& stencil, bool time_dispersion_removal) {
  std::array<WallReading, 3> readings;
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const bool same = axis > 0 && stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2];
    readings[d] = same ? readings[0] : make_wall_reading(stencil, axis, time_dispersion_removal);
  }
  std::vector<WallLaw> laws;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const auto fit =
        std::find_if(fits.begin(), fits.end(), [&](const MaterialFit& f) { return f.name == materials[m]; });
    if (fit == fits.end()) throw std::invalid_argument("make_wall_laws: no fit for material " + materials[m]);
    if (fit->branches.empty()) continue;
    for (int axis = 0; axis < 3; ++axis) {
      laws.push_back(plain_wall_law(*fit, static_cast<int>(m), axis, grid, time_dispersion_removal));
      WallLaw wide = laws.back();
      wide.inertance = readings[static_cast<std::size_t>(axis)].inertance;
      wide.taps = readings[static_cast<std::size_t>(axis)].taps;
      for (int inward : {1, -1}) {
        wide.inward = inward;
        laws.push_back(wide);
      }
    }
  }
  return laws;
}

Boundary make_boundary(const Voxels& voxels, std::vector<WallLaw> laws, const Grid& grid, const NearWall& near_wall) {
  Boundary boundary;
  boundary.laws = std::move(laws);
  const std::vector<LawsByAxis> index = index_laws(boundary.laws, voxels.materials.size());
  std::array<double, 3> courant{};
  for (std::size_t d = 0; d < 3; ++d) courant[d] = grid.sound_speed * grid.time_step / grid.spacing[d];

  std::vector<Candidate> candidates;
  std::vector<BoundarySite> here;  // of one node
  for (std::size_t f = 0; f < voxels.faces.size();) {
    const std::uint64_t node = voxels.faces[f].node;
    here.clear();
    std::uint32_t faces = 0, wide = none;
    for (; f < voxels.faces.size() && voxels.faces[f].node == node; ++f) {
      const BoundaryFace& face = voxels.faces[f];
      const std::size_t axis = face.side / 2U;
      const auto& kinds = index.at(face.material)[axis];
      if (kinds[0] == none || !(face.area > 0.0F)) continue;
      ++faces;
      wide = kinds[face.side % 2U == 0U ? 1 : 2];
      const double weight = courant[axis] * static_cast<double>(face.area);
      const auto same =
          std::find_if(here.begin(), here.end(), [&](const BoundarySite& site) { return site.law == kinds[0]; });
      if (same != here.end()) {
        same->weight += weight;
      } else {
        here.push_back({kinds[0], weight});
      }
    }
    if (here.empty()) continue;
    std::sort(here.begin(), here.end(), [](const BoundarySite& a, const BoundarySite& b) { return a.law < b.law; });
    if (boundary.sites.size() + here.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(Status::resource, "more than 2^32 boundary sites", "choose a coarser grid");
    }
    if (faces == 1 && wide != none) candidates.push_back({boundary.nodes.size(), wide});
    boundary.nodes.push_back(node);
    for (const BoundarySite& site : here) {
      boundary.sites.push_back(site);
      boundary.branch_begin.push_back(boundary.branch_begin.back() + boundary.laws[site.law].branches.size());
    }
    boundary.site_begin.push_back(static_cast<std::uint32_t>(boundary.sites.size()));
  }
  widen(boundary, candidates, voxels.air, near_wall);

  if (!near_wall.masses.empty()) {
    boundary.inverse_mass.assign(boundary.nodes.size(), 1.0);
    auto mass = near_wall.masses.begin();
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      while (mass != near_wall.masses.end() && mass->node < boundary.nodes[i]) ++mass;
      if (mass != near_wall.masses.end() && mass->node == boundary.nodes[i])
        boundary.inverse_mass[i] = 1.0 / mass->mass;
    }
  }
  return boundary;
}

Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid,
                       const GridStencil& stencil, const NearWall& near_wall, bool time_dispersion_removal) {
  return make_boundary(voxels, make_wall_laws(voxels.materials, fits, grid, stencil, time_dispersion_removal), grid,
                       near_wall);
}

}  // namespace fdtd
