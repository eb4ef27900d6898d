#include "engine/voxels/space/leak.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/voxels/space/clearance.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;
constexpr int widest = widest_clearance;

class Way {
 public:
  Way(const std::array<int, 3>& size, const OpenLinks& open)
      : size_(size), open_(open), clearance_(clearances(size, open)) {}

  // The path from `start` to a border voxel with an open link out, in reverse order.
  std::vector<Voxel> out_of(const Voxel& start) {
    std::vector<std::vector<std::uint64_t>> buckets(widest + 1);
    came_.assign(clearance_.size(), unseen);
    came_[number(start)] = began;
    int level = clearance_[number(start)];
    buckets[static_cast<std::size_t>(level)].push_back(number(start));
    while (level >= 0) {
      auto& bucket = buckets[static_cast<std::size_t>(level)];
      if (bucket.empty()) {
        --level;
        continue;
      }
      const std::uint64_t at = bucket.back();
      bucket.pop_back();
      const Voxel here = voxel(at);
      for (int side = 0; side < 6; ++side) {
        if (!leads(here, side)) continue;
        const Voxel next = beside(here, side);
        if (!inside(next)) return trace(here);
        std::uint8_t& came = came_[number(next)];
        if (came != unseen) continue;
        came = static_cast<std::uint8_t>(side);
        // The widest reachable voxel comes next (Prim): the tree then holds a widest path to every voxel.
        const int width = clearance_[number(next)];
        buckets[static_cast<std::size_t>(width)].push_back(number(next));
        level = std::max(level, width);
      }
    }
    return {start};
  }
  int clearance(const Voxel& v) const { return clearance_[number(v)]; }

 private:
  static constexpr std::uint8_t unseen = 255, began = 6;

  std::uint64_t number(const Voxel& v) const {
    return static_cast<std::uint64_t>(v[0]) +
           static_cast<std::uint64_t>(size_[0]) *
               (static_cast<std::uint64_t>(v[1]) +
                static_cast<std::uint64_t>(size_[1]) * static_cast<std::uint64_t>(v[2]));
  }
  Voxel voxel(std::uint64_t n) const {
    const auto nx = static_cast<std::uint64_t>(size_[0]), ny = static_cast<std::uint64_t>(size_[1]);
    return {static_cast<int>(n % nx), static_cast<int>(n / nx % ny), static_cast<int>(n / nx / ny)};
  }
  bool inside(const Voxel& v) const {
    return v[0] >= 0 && v[1] >= 0 && v[2] >= 0 && v[0] < size_[0] && v[1] < size_[1] && v[2] < size_[2];
  }
  static Voxel beside(Voxel v, int side) {
    v[static_cast<std::size_t>(side / 2)] += side % 2 == 0 ? -1 : 1;
    return v;
  }
  bool leads(const Voxel& v, int side) const {
    const Voxel link = side % 2 == 0 ? v : beside(v, side);
    return open_[static_cast<std::size_t>(side / 2)](link[0], link[1], link[2]);
  }

  std::vector<Voxel> trace(Voxel at) const {
    std::vector<Voxel> way{at};
    while (came_[number(at)] != began) {
      at = beside(at, came_[number(at)] ^ 1);
      way.push_back(at);
    }
    return way;
  }

  std::array<int, 3> size_;
  const OpenLinks& open_;
  std::vector<std::uint8_t> clearance_, came_;
};

}  // namespace

Leak find_leak(const std::array<int, 3>& size, const OpenLinks& open, const std::array<int, 3>& start) {
  Way space(size, open);
  const std::vector<Voxel> way = space.out_of(start);  // from the border to the start
  std::vector<int> before(way.size());                 // largest clearance between here and the start
  for (std::size_t i = way.size(); i-- > 0;)
    before[i] = std::max(space.clearance(way[i]), i + 1 < way.size() ? before[i + 1] : 0);
  int behind = widest;  // outside the grid the clearance is unlimited
  Leak leak;
  double narrowest = 2.0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const double ratio = (space.clearance(way[i]) + 0.5) / (std::min(before[i], behind) + 0.5);
    behind = std::max(behind, space.clearance(way[i]));
    if (!(ratio < narrowest)) continue;
    narrowest = ratio;
    leak.width = std::max(1, 2 * space.clearance(way[i]) - 1);
    for (std::size_t d = 0; d < 3; ++d) leak.voxel[d] = way[i][d] + 0.5;
  }
  return leak;
}

}  // namespace fdtd
