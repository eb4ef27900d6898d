// Walls by folding: a stencil point behind a wall is read at its mirror image (docs/explanation/walls.md, section 2).
//
// Along one axis the fold by m voxels is the operator C^m = 2 T_m(1 - A/2), A the Neumann Laplacian of the axis's runs
// of air and T_m Chebyshev's polynomial; so a leggy stencil, a sum over axes, keeps the spectrum of its interior in any
// mask. Other stencils use products of the three axes' folds, which do not commute at re-entrant edges; averaged over
// the orders of the axes they are symmetric, and stable where the weights have the certificate (WallProof::all_mask).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "engine/walls/mirror_walk.hpp"
#include "engine/walls/rows.hpp"

namespace fdtd {
namespace {

// Sums one row by offset: counts of walks in sixths, then weights.
class RowSum {
 public:
  explicit RowSum(const Voxel& reach) : reach_(reach), width_{2 * reach[0] + 1, 2 * reach[1] + 1, 2 * reach[2] + 1} {
    const auto n = static_cast<std::size_t>(width_[0] * width_[1] * width_[2]);
    sixths_.assign(n, 0);
    weights_.assign(n, 0.0);
  }
  void count(const Voxel& offset, int sixths) {
    const std::size_t i = index(offset);
    if (sixths_[i] == 0) touched_.push_back(i);
    sixths_[i] += sixths;
  }
  // Converts counts to weights. Integers cancel exactly, so that a plain row leaves no correction.
  void weigh(double weight) {
    for (const std::size_t i : touched_) {
      if (sixths_[i] != 0) weights_[i] += weight * (sixths_[i] / 6.0);
      sixths_[i] = 0;
    }
    touched_.clear();
  }
  std::vector<RowEntry> entries() const {
    std::vector<RowEntry> out;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0.0) continue;
      const auto n = static_cast<int>(i);
      const Voxel at = {n % width_[0], n / width_[0] % width_[1], n / (width_[0] * width_[1])};
      RowEntry entry{{}, weights_[i]};
      for (std::size_t d = 0; d < 3; ++d) entry.offset[d] = static_cast<std::int16_t>(at[d] - reach_[d]);
      out.push_back(entry);
    }
    return out;
  }

 private:
  std::size_t index(const Voxel& offset) const {
    return static_cast<std::size_t>(((offset[2] + reach_[2]) * width_[1] + offset[1] + reach_[1]) * width_[0] +
                                    offset[0] + reach_[0]);
  }
  Voxel reach_, width_;
  std::vector<int> sixths_;
  std::vector<std::size_t> touched_;
  std::vector<double> weights_;
};

NearWall folded_walls(const std::vector<Term>& terms, const AirMask& air, const Voxel& reach) {
  return collect_rows(air, reach, [&](const Neighbourhood& around, const Voxel&) { return folded_row(terms, around); });
}

}  // namespace

WallRow folded_row(const std::vector<Term>& terms, const Neighbourhood& air) {
  RowSum sum(air.window().high);
  for (const Term& term : terms) {
    const auto [a, b, c] = term.offset;
    for (int z = c == 0 ? 1 : -1; z <= 1; z += 2) {
      for (int y = b == 0 ? 1 : -1; y <= 1; y += 2) {
        for (int x = a == 0 ? 1 : -1; x <= 1; x += 2) {
          const Voxel image = {x * a, y * b, z * c};
          if (air(image[0], image[1], image[2])) sum.count(image, -6);
          folded_walks(air, {0, 0, 0}, image, [&](const Voxel& end, int sixths) { sum.count(end, sixths); });
        }
      }
    }
    sum.weigh(term.weight);
  }
  return {sum.entries(), 1.0};
}

NearWall run_fold_walls(const GridStencil& stencil, const AirMask& air) {
  const int r = stencil.radius;
  std::array<std::vector<Term>, 3> along;
  for (const Term& term : stencil.terms) {
    if (image_count(term) != 2)
      throw Error(Status::scene, "walls: run folding is for leggy stencils; this one has points off the axes");
    along[term.offset[0] != 0 ? 0 : term.offset[1] != 0 ? 1 : 2].push_back(term);
  }
  return by_core(air, {r, r, r}, [&](const AirMask& room) {
    NearWall walls = folded_walls(along[0], room, {r, 0, 0});
    walls = joined(std::move(walls), folded_walls(along[1], room, {0, r, 0}));
    return joined(std::move(walls), folded_walls(along[2], room, {0, 0, r}));
  });
}

NearWall symmetrised_fold_walls(const GridStencil& stencil, const AirMask& air) {
  const int r = stencil.radius;
  return by_core(air, {r, r, r}, [&](const AirMask& room) { return folded_walls(stencil.terms, room, {r, r, r}); });
}

}  // namespace fdtd
