#include "engine/walls/inward_walls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/parallel_failure.hpp"
#include "base/touched_pages.hpp"

namespace fdtd {
namespace {

// The passages along an axis, read in the order of their nodes.
class Passages {
 public:
  explicit Passages(const std::vector<CutFraction>& fractions) : at_(fractions.begin()), end_(fractions.end()) {}
  // From `node` to the next one along the axis, both of them air; nodes must not descend.
  double open(std::uint64_t node) {
    at_ = std::lower_bound(at_, end_, node, [](const CutFraction& one, std::uint64_t n) { return one.node < n; });
    return at_ != end_ && at_->node == node ? static_cast<double>(at_->fraction) : 1.0;
  }

 private:
  std::vector<CutFraction>::const_iterator at_, end_;
};

// Of the nodes of some volumes, in order.
std::vector<MovedWall> moved_from(std::span<const CutFraction> volumes, const AirMask& air, const CutVoxels& cut,
                                  const InwardFractions& fractions) {
  constexpr double along_axis = 0.999;  // of a unit normal's largest component
  const auto size = air.size();
  const std::array<std::uint64_t, 3> stride = {
      1, static_cast<std::uint64_t>(size[0]),
      static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1])};
  std::array<Passages, 3> above = {Passages(cut.passages[0]), Passages(cut.passages[1]), Passages(cut.passages[2])},
                          below = above;
  std::vector<MovedWall> moved;
  for (const CutFraction& one : volumes) {
    const std::array<int, 3> at = {static_cast<int>(one.node % stride[1]),
                                   static_cast<int>(one.node % stride[2] / stride[1]),
                                   static_cast<int>(one.node / stride[2])};
    std::array<double, 3> low{}, high{};
    double square = 0.0, most = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      auto next = at, last = at;
      ++next[d], --last[d];
      if (air(last[0], last[1], last[2])) low[d] = below[d].open(one.node - stride[d]);
      if (air(next[0], next[1], next[2])) high[d] = above[d].open(one.node);
      square += (low[d] - high[d]) * (low[d] - high[d]);
      most = std::max(most, std::abs(low[d] - high[d]));
    }
    if (!(square > 0.0)) continue;
    const bool along_grid = fractions.along_grid && most > along_axis * std::sqrt(square);
    const double fraction =
        along_grid ? inward_fraction_along_grid(static_cast<double>(one.fraction)) : fractions.oblique;
    if (!(fraction > 0.0)) continue;
    const auto move = [&](std::size_t d, bool up) {
      const double inward = up ? high[d] - low[d] : low[d] - high[d];
      if (inward > 0.0 && (up ? high[d] : low[d]) > 0.0)
        moved.push_back(
            {one.node, up ? one.node + stride[d] : one.node - stride[d], fraction * inward / std::sqrt(square)});
    };
    for (const std::size_t d : {2U, 1U, 0U}) move(d, false);
    for (const std::size_t d : {0U, 1U, 2U}) move(d, true);
  }
  return moved;
}

}  // namespace

std::vector<MovedWall> moved_inward(const AirMask& air, const CutVoxels& cut, const InwardFractions& fractions) {
  constexpr std::size_t volumes_a_list = 65536;
  const std::span<const CutFraction> all = cut.volumes;
  std::vector<std::vector<MovedWall>> lists((all.size() + volumes_a_list - 1) / volumes_a_list);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (lists.size() > 1)
  for (std::size_t l = 0; l < lists.size(); ++l) {
    failure.guard([&] {
      const std::size_t first = l * volumes_a_list;
      lists[l] = moved_from(all.subspan(first, std::min(volumes_a_list, all.size() - first)), air, cut, fractions);
    });
  }
  failure.rethrow();
  return concatenated(lists);
}

}  // namespace fdtd
