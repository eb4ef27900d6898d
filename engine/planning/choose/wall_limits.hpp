// Up to which frequency walls of a scene's materials absorb what they should, before there is a grid: what the choice of
// the spacing asks.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "engine/materials/material_fit.hpp"
#include "scenes/scene.hpp"
#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The materials that the scene's walls use, in the order of Room::materials, fitted up to `max_frequency` (Hz). Throws as
// fit_material.
std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency);

class WallLimits {
 public:
  // `scene` must outlive this.
  explicit WallLimits(const Scene& scene) : scene_(scene) {}

  // As fit_materials, fitted once for each frequency.
  const std::vector<MaterialFit>& fits(double max_frequency);

  // Where plane walls across `axis` are fitted up to `frequency` (Hz), omega T there.
  struct Top {
    double omega, frequency;
    // Of the grid, whose opposite walls must not read the same nodes; zero: as many as the room has of this spacing.
    std::array<int, 3> cells{};
  };
  // `weakest`: of the material that absorbs least at the top, most often the one that limits the others.
  enum class Materials { all, weakest };
  // The fraction of `top` up to which every material's absorption is within wall_error of what it should be, less a margin
  // for the spacings of a grid, which differ by axis; 1 at most. Found once in a process for the same
  // arguments and materials.
  double valid_fraction(const GridStencil& stencil, int axis, const FrequencyMap& map, const Top& top,
                        Materials which = Materials::all);

 private:
  // How many nodes walls may read.
  int max_taps(const GridStencil& stencil, int axis, const Top& top) const;
  double compute(const GridStencil& stencil, int axis, const FrequencyMap& map, const Top& top, Materials which,
                 int most);

  const Scene& scene_;
  std::vector<MaterialLaw> laws_;
  std::map<double, std::vector<MaterialFit>> fits_;
};

}  // namespace fdtd
