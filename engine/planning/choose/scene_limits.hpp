// The limits of a scene's grid besides the dispersion of the interior: walls, sources and receivers between nodes, and
// the walls of a mesh that cut voxels. Each is known before there is a grid, so that the choice of the spacing obeys
// all of them; results for one stencil serve the next.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/planning/choose/geometry_limit.hpp"
#include "engine/planning/choose/wall_limits.hpp"
#include "engine/transducers/exchange.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// A limit that needs a spacing of less than this fraction of the interior's does not set the grid, unless the scene
// names its stencil and the run takes so few node updates that it is a matter of seconds; "auto" takes another stencil.
inline constexpr double finest_fraction = 0.45, few_updates = 5e9;

class SceneLimits {
 public:
  // `scene` must outlive this.
  explicit SceneLimits(const Scene& scene) : walls(scene), scene_(scene) {}

  WallLimits walls;

  // Whether a limit that needs `spacing` sets the grid of a stencil at that Courant number, in a run of so many passes;
  // `interior`: the spacing that the interior needs.
  bool affordable(const Passes& passes, double courant, double spacing, double interior) const;

  // Radians a cell of the finest wave that every source and receiver of the scene sends and reads alike in all
  // directions, wherever it lies between nodes (transducer_limit.hpp).
  double transducer_wave();

  // The coarsest spacing in m on which geometry_limit reaches `frequency` (Hz); infinite for a box. The area that cuts
  // voxels is that of the mesh on a grid of `spacing`, but of no more than some 3e5 voxels: fractions of area and
  // surface over volume hardly depend on it. Nothing limits a mesh that leaks there.
  double geometry_spacing(const Stencil& stencil, const GridStencil& on_grid, double frequency, double spacing);

  // The fraction of the walls' area that cuts voxels, of the same; 0 for a box.
  double cut_fraction(const GridStencil& stencil, double spacing);

  // The fraction of the walls' area that belongs to furniture (furniture.hpp), of the same; 0 for a box.
  double furnished_fraction(const GridStencil& stencil, double spacing);

  // Of the stencil that is planned: a grid has shown that the limit `what` holds at max_frequency with no more than this
  // spacing (m), whatever was estimated, or with none that is worth its cost. required(): that spacing, else infinity.
  void require(const std::string& what, double spacing);
  void give_up(const std::string& what);
  double required(const std::string& what) const;
  bool given_up(const std::string& what) const { return given_up_.count(what) > 0; }

  // Whether the openings of a mesh are right on a grid of `spacing` (m): passages of cut voxels are fitted to them
  // (opening_flow.hpp); whole voxels close one, or make it a voxel wide, unless two voxels fit into it.
  bool openings_held(const GridStencil& stencil, double spacing);

 private:
  struct NarrowestOpening {
    double looked_at = 0.0, width = 0.0;  // m: the spacing of the grid for which it is the narrowest, and its width
  };
  const Scene& scene_;
  std::optional<NarrowestOpening> narrowest_;
  std::optional<double> wave_, oblique_;
  std::map<std::string, double> required_;
  std::set<std::string> given_up_;
  // Of whole and of cut voxels, on grids of one spacing and on those of leggy stencils, which divide the sides exactly.
  std::array<std::optional<CutArea>, 4> cut_;
  std::optional<CutArea>& cut_of(const GridStencil& stencil);
  double oblique();  // oblique_fraction of the mesh
  const CutArea& cut_on(const GridStencil& stencil, double spacing);
};

}  // namespace fdtd
