#include "engine/walls/wall_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "engine/error.hpp"
#include "engine/walls/tap_owners.hpp"
#include "engine/walls/wall_taps.hpp"

namespace fdtd {
namespace {

// Laws of a material across an axis: [0] plain, [1] and [2] with taps towards increasing and decreasing coordinates.
using LawsByAxis = std::array<std::array<std::uint32_t, 3>, 3>;

std::vector<LawsByAxis> index_laws(const std::vector<WallLaw>& laws, std::size_t materials) {
  constexpr std::array<std::uint32_t, 3> rigid = {no_law, no_law, no_law};
  std::vector<LawsByAxis> index(materials, {rigid, rigid, rigid});
  for (std::size_t l = 0; l < laws.size(); ++l) {
    const std::size_t which = laws[l].inward == 0 ? 0 : laws[l].inward > 0 ? 1 : 2;
    index.at(static_cast<std::size_t>(laws[l].material)).at(static_cast<std::size_t>(laws[l].axis))[which] =
        static_cast<std::uint32_t>(l);
  }
  return index;
}

// The factor by which the trapezoidal rule's 2 tan(w/2) becomes omega T at the resonance of the branch; 1 without a
// resonance, or if the grid does not resolve it.
double prewarp(const Branch& branch, double time_step, double highest, bool time_dispersion_removal) {
  if (!(branch.D > 0.0 && branch.F > 0.0)) return 1.0;
  const double truth = std::sqrt(branch.F / branch.D) * time_step;
  if (truth > highest || truth >= 2.0) return 1.0;
  const double omega = time_dispersion_removal ? 2.0 * std::asin(truth / 2.0) : truth;
  return truth / (2.0 * std::tan(omega / 2.0));
}

// A site for every law of every node, ordered by node, then law. Only the site of a single face may read several nodes.
std::vector<WallSite> collect_sites(const Voxels& voxels, const std::vector<WallLaw>& laws, const Grid& grid) {
  const std::vector<LawsByAxis> index = index_laws(laws, voxels.materials.size());
  std::vector<WallSite> sites;
  sites.reserve(voxels.faces.size());
  std::size_t first = 0;  // of this node
  for (const BoundaryFace& face : voxels.faces) {
    const std::size_t axis = face.side / 2U;
    const auto& kinds = index.at(face.material)[axis];
    if (kinds[0] == no_law || !(face.area > 0.0F)) continue;
    if (sites.empty() || sites[first].node != face.node) first = sites.size();
    const double weight = grid.sound_speed * grid.time_step / grid.spacing[axis] * static_cast<double>(face.area);
    const auto here = sites.begin() + static_cast<std::ptrdiff_t>(first);
    const auto same = std::find_if(here, sites.end(), [&](const WallSite& site) { return site.law == kinds[0]; });
    if (same != sites.end()) {
      same->weight += weight;
      same->wide = no_law;
    } else {
      const auto place = std::find_if(here, sites.end(), [&](const WallSite& site) { return site.law > kinds[0]; });
      sites.insert(place, {face.node, kinds[0], kinds[face.side % 2U == 0U ? 1 : 2], weight});
    }
  }
  if (sites.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(Status::resource, "more than 2^32 boundary sites", "choose a coarser grid");
  return sites;
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
    const double highest = 2.0 * std::numbers::pi * courant / min_points_a_wavelength;
    const double warp = prewarp(branch, grid.time_step, highest, time_dispersion_removal);
    law.branches.push_back({branch.D / grid.time_step * warp, branch.E, branch.F * grid.time_step / warp});
  }
  return law;
}

std::vector<WallLaw> make_wall_laws(const std::vector<std::string>& materials, std::span<const MaterialFit> fits,
                                    const Grid& grid, const GridStencil& stencil, bool time_dispersion_removal) {
  std::array<WallTaps, 3> fitted;
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const bool same = axis > 0 && stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2];
    fitted[d] = same ? fitted[0] : make_wall_taps(stencil, axis, time_dispersion_removal);
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
      wide.inertance = fitted[static_cast<std::size_t>(axis)].inertance;
      wide.taps = fitted[static_cast<std::size_t>(axis)].taps;
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
  std::vector<WallSite> sites = collect_sites(voxels, boundary.laws, grid);
  choose_tap_owners(sites, boundary.laws, voxels.air, near_wall);
  boundary.nodes.reserve(sites.size());
  boundary.site_begin.reserve(sites.size() + 1);
  boundary.sites.reserve(sites.size());
  boundary.branch_begin.reserve(sites.size() + 1);
  auto mass = near_wall.masses.begin();
  for (std::size_t s = 0; s < sites.size(); ++s) {
    if (s == 0 || sites[s].node != sites[s - 1].node) {
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
  }
  return boundary;
}

Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid,
                       const GridStencil& stencil, const NearWall& near_wall, bool time_dispersion_removal) {
  return make_boundary(voxels, make_wall_laws(voxels.materials, fits, grid, stencil, time_dispersion_removal), grid,
                       near_wall);
}

}  // namespace fdtd
