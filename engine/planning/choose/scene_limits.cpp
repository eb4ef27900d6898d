#include "engine/planning/choose/scene_limits.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/planning/choose/transducer_limit.hpp"
#include "engine/planning/room/furniture.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/voxels/openings/narrow_openings.hpp"
#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {
namespace {

constexpr double estimate_voxels = 3e5;
constexpr std::size_t max_operations = 32;  // of a scene: the harmonics, and some directions

// The fraction of the walls' area (m2) that belongs to furniture, of the mesh near the air of `voxels` on a grid.
double furnished_fraction(const Mesh& mesh, const AirMask& air, const MeshGrid& grid, double area) {
  const auto [nx, ny, nz] = air.size();
  std::array<int, 3> first = {nx, ny, nz}, last = {-1, -1, -1};
  std::vector<AirMask::Run> runs;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      air.runs(y, z, runs);
      if (runs.empty()) continue;
      const std::array<int, 3> low = {runs.front().begin, y, z}, high = {runs.back().end - 1, y, z};
      for (std::size_t d = 0; d < 3; ++d) first[d] = std::min(first[d], low[d]), last[d] = std::max(last[d], high[d]);
    }
  }
  std::array<double, 3> low{}, high{};  // a voxel further: walls lie beside the air
  for (std::size_t d = 0; d < 3; ++d) {
    low[d] = grid.corner[d] + (first[d] - 1) * grid.spacing[d];
    high[d] = grid.corner[d] + (last[d] + 2) * grid.spacing[d];
  }
  return furnished_fraction(mesh, area, low, high);
}

// A grid about the scene's mesh; `divided`: it divides the sides exactly.
MeshGrid grid_about(const Scene& scene, double spacing, bool divided) {
  MeshGrid grid;
  const auto& box = scene.room.box;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.size[d] = std::max(1, static_cast<int>(std::lround(box[d] / spacing)));
    grid.spacing[d] = divided ? box[d] / grid.size[d] : spacing;
    grid.corner[d] = scene.room.origin[d] - (grid.size[d] * grid.spacing[d] - box[d]) / 2.0;
  }
  return grid;
}

std::vector<std::array<double, 3>> source_positions(const Scene& scene) {
  std::vector<std::array<double, 3>> sources;
  for (const SourceSpec& one : scene.sources) sources.push_back(one.position);
  return sources;
}

// The scene's mesh on `grid`, and the fraction of furniture there; none where it leaks or has no room for air.
struct Tallied {
  RoomTally room;
  double furnished = 0.0;
};
std::optional<Tallied> tally_on(const Scene& scene, const MeshGrid& grid) {
  std::optional<Tallied> found;
  {
    const MeshVoxels made = voxelise_mesh(*scene.room.mesh, scene.room.surfaces, grid, source_positions(scene), {});
    if (!made.leaking) {
      found = {tally_of(made.voxels), 0.0};
      found->furnished = furnished_fraction(*scene.room.mesh, made.voxels.air, grid, found->room.area());
    }
  }
  ::malloc_trim(0);  // the threads' temporary memory, before that of the room itself is taken
  return found;
}

// The area of the scene's mesh that cuts voxels of that spacing. The fraction of furniture is that of cut voxels, which
// have the mesh's areas: an empty room of whole voxels may have more than its hull.
// `furnished`: that of cut voxels, if known.
CutArea estimate_cut(const Scene& scene, const GridStencil& stencil, double spacing,
                     const std::optional<double>& furnished) {
  const auto& box = scene.room.box;
  const double fewest = std::cbrt(box[0] * box[1] * box[2] / estimate_voxels);
  MeshGrid grid = grid_about(scene, std::max(spacing, fewest), stencil.family == Family::leggy);
  grid.cut = knows_cut_voxels(stencil);
  grid.linked = is_sum_over_axes(stencil);
  const std::optional<Tallied> tallied = tally_on(scene, grid);
  if (!tallied) return {};
  Grid shape;
  shape.size = grid.size;
  shape.spacing = grid.spacing;
  CutArea found = cut_area(tallied->room, shape, *scene.room.mesh, stencil);
  found.furnished = tallied->furnished;
  if (!grid.cut && furnished) {
    found.furnished = *furnished;
  } else if (!grid.cut) {
    grid.cut = grid.linked = true;
    if (const std::optional<Tallied> exact = tally_on(scene, grid)) found.furnished = exact->furnished;
  }
  return found;
}

}  // namespace

bool SceneLimits::affordable(const Passes& passes, double courant, double spacing, double interior) const {
  if (spacing >= finest_fraction * interior) return true;
  if (scene_.simulation.stencil == "auto") return false;
  const auto& box = scene_.room.box;
  const double nodes = box[0] * box[1] * box[2] / std::pow(spacing, 3);
  const double steps = scene_.simulation.duration * scene_.air.speed() / (courant * spacing);
  return nodes * steps * static_cast<double>(std::max<std::size_t>(1, passes.count)) <= few_updates;
}

double SceneLimits::transducer_wave() {
  if (!wave_) {
    std::vector<FieldOperator> operations;
    const Channels channels = channels_of(scene_);
    for (const auto* const list : {&channels.sources, &channels.receivers})
      for (const Channel& one : *list)
        if (operations.size() < max_operations && !read_by_ball(one.operation) &&
            std::ranges::find(operations, one.operation) == operations.end())
          operations.push_back(one.operation);
    wave_ = finest_transducer_wave(operations);
  }
  return *wave_;
}

double SceneLimits::geometry_spacing(const Stencil& stencil, const GridStencil& on_grid, double frequency,
                                     double spacing) {
  if (!scene_.room.mesh) return std::numeric_limits<double>::infinity();
  const Simulation& wish = scene_.simulation;
  const auto needed = [&](const CutArea& cut) {
    return fdtd::geometry_spacing(cut, GeometryErrors(stencil, on_grid), wish.geometry_error, wish.dispersion_error,
                                  frequency, scene_.air.speed());
  };
  // The grids that "auto" cannot choose are not counted: the area that is wrong of whole voxels is that of oblique walls,
  // and it may be a fifth less on a grid.
  constexpr double surely = 0.8;
  if (wish.stencil == "auto" && !knows_cut_voxels(on_grid)) {
    const double for_oblique = needed({oblique(), 0.0, 0.0});
    if (for_oblique < surely * finest_fraction * spacing) return for_oblique;
  }
  return needed(cut_on(on_grid, spacing));
}

double SceneLimits::oblique() {
  if (!oblique_) oblique_ = oblique_fraction(*scene_.room.mesh);
  return *oblique_;
}

double SceneLimits::cut_fraction(const GridStencil& stencil, double spacing) {
  if (!scene_.room.mesh) return 0.0;
  const std::optional<CutArea>& known = cut_of(stencil);
  if (!known && scene_.simulation.stencil == "auto" && !knows_cut_voxels(stencil)) return oblique();
  return cut_on(stencil, spacing).fraction;
}

double SceneLimits::furnished_fraction(const GridStencil& stencil, double spacing) {
  return scene_.room.mesh ? cut_on(stencil, spacing).furnished : 0.0;
}

const CutArea& SceneLimits::cut_on(const GridStencil& stencil, double spacing) {
  std::optional<CutArea>& known = cut_of(stencil);
  if (!known) {
    std::optional<double> furnished;
    for (const std::size_t cut : {3U, 2U})
      if (!furnished && cut_[cut]) furnished = cut_[cut]->furnished;
    known = estimate_cut(scene_, stencil, spacing, furnished);
  }
  return *known;
}

bool SceneLimits::openings_held(const GridStencil& stencil, double spacing) {
  constexpr double voxels_across = 2.0, alike = 1.3;  // openings of up to three voxels are listed
  if (!scene_.room.mesh || knows_cut_voxels(stencil)) return true;
  if (!narrowest_ || spacing > alike * narrowest_->looked_at) {
    narrowest_ = {spacing, std::numeric_limits<double>::infinity()};
    const SpaceRegions regions(*scene_.room.mesh, grid_about(scene_, spacing, false), source_positions(scene_));
    for (const NarrowOpening& one : regions.openings()) narrowest_->width = std::min(narrowest_->width, one.width);
  }
  return narrowest_->width >= voxels_across * spacing;
}

std::optional<CutArea>& SceneLimits::cut_of(const GridStencil& stencil) {
  return cut_[(knows_cut_voxels(stencil) ? 2U : 0U) + (stencil.family == Family::leggy ? 1U : 0U)];
}

void SceneLimits::require(const std::string& what, double spacing) {
  const auto [place, is_new] = required_.try_emplace(what, spacing);
  place->second = std::min(place->second, spacing);
}

void SceneLimits::give_up(const std::string& what) {
  given_up_.insert(what);
  required_.erase(what);
}

double SceneLimits::required(const std::string& what) const {
  const auto found = required_.find(what);
  return found == required_.end() ? std::numeric_limits<double>::infinity() : found->second;
}

}  // namespace fdtd
