#include "engine/wall_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/error.hpp"

namespace fdtd {

WallLaw plain_wall_law(const MaterialFit& fit, int material, int axis, const Grid& grid) {
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
    law.branches.push_back({branch.D / grid.time_step, branch.E, branch.F * grid.time_step});
  }
  return law;
}

std::vector<WallLaw> make_wall_laws(const std::vector<std::string>& materials, std::span<const MaterialFit> fits,
                                    const Grid& grid, const GridStencil& /*stencil*/, bool /*time_dispersion_removal*/) {
  std::vector<WallLaw> laws;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const auto fit = std::find_if(fits.begin(), fits.end(), [&](const MaterialFit& f) { return f.name == materials[m]; });
    if (fit == fits.end()) throw std::invalid_argument("make_wall_laws: no fit for material " + materials[m]);
    if (fit->branches.empty()) continue;
    for (int axis = 0; axis < 3; ++axis) laws.push_back(plain_wall_law(*fit, static_cast<int>(m), axis, grid));
  }
  return laws;
}

Boundary make_boundary(const Voxels& voxels, std::vector<WallLaw> laws, const Grid& grid, const NearWall& near_wall) {
  constexpr std::uint32_t rigid = std::numeric_limits<std::uint32_t>::max();
  Boundary boundary;
  boundary.laws = std::move(laws);
  std::vector<std::array<std::uint32_t, 3>> law_of(voxels.materials.size(), {rigid, rigid, rigid});
  for (std::size_t l = 0; l < boundary.laws.size(); ++l) {
    const WallLaw& law = boundary.laws[l];
    law_of.at(static_cast<std::size_t>(law.material)).at(static_cast<std::size_t>(law.axis)) = static_cast<std::uint32_t>(l);
  }
  std::array<double, 3> courant{};
  for (std::size_t d = 0; d < 3; ++d) courant[d] = grid.sound_speed * grid.time_step / grid.spacing[d];

  std::vector<BoundarySite> here;  // of one node
  for (std::size_t f = 0; f < voxels.faces.size();) {
    const std::uint64_t node = voxels.faces[f].node;
    here.clear();
    for (; f < voxels.faces.size() && voxels.faces[f].node == node; ++f) {
      const BoundaryFace& face = voxels.faces[f];
      const std::size_t axis = face.side / 2U;
      const std::uint32_t law = law_of.at(face.material)[axis];
      if (law == rigid || !(face.area > 0.0F)) continue;
      const double weight = courant[axis] * static_cast<double>(face.area);
      const auto same = std::find_if(here.begin(), here.end(), [&](const BoundarySite& site) { return site.law == law; });
      if (same != here.end()) {
        same->weight += weight;
      } else {
        here.push_back({law, weight});
      }
    }
    if (here.empty()) continue;
    std::sort(here.begin(), here.end(), [](const BoundarySite& a, const BoundarySite& b) { return a.law < b.law; });
    if (boundary.sites.size() + here.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(Status::resource, "more than 2^32 boundary sites", "choose a coarser grid");
    }
    boundary.nodes.push_back(node);
    for (const BoundarySite& site : here) {
      boundary.sites.push_back(site);
      boundary.branch_begin.push_back(boundary.branch_begin.back() + boundary.laws[site.law].branches.size());
    }
    boundary.site_begin.push_back(static_cast<std::uint32_t>(boundary.sites.size()));
  }

  if (!near_wall.masses.empty()) {
    boundary.inverse_mass.assign(boundary.nodes.size(), 1.0);
    auto mass = near_wall.masses.begin();
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      while (mass != near_wall.masses.end() && mass->node < boundary.nodes[i]) ++mass;
      if (mass != near_wall.masses.end() && mass->node == boundary.nodes[i]) boundary.inverse_mass[i] = 1.0 / mass->mass;
    }
  }
  return boundary;
}

Boundary make_boundary(const Voxels& voxels, std::span<const MaterialFit> fits, const Grid& grid, const GridStencil& stencil,
                       const NearWall& near_wall, bool time_dispersion_removal) {
  return make_boundary(voxels, make_wall_laws(voxels.materials, fits, grid, stencil, time_dispersion_removal), grid, near_wall);
}

}  // namespace fdtd
