#include "engine/voxels/space/clearance.hpp"

#include <algorithm>

namespace fdtd {
namespace {

// One sweep along the order of nodes, or against it, over the 13 neighbours that come before.
class Sweep {
 public:
  Sweep(const std::array<int, 3>& size, std::vector<std::uint8_t>& list) : size_(size), list_(list) {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if ((dz != 0 ? dz : dy != 0 ? dy : dx) < 0) before_.push_back({dx, dy, dz});
  }
  template <class Start>
  void run(int direction, const Start& start) {
    const std::array<std::int64_t, 3> stride = {1, size_[0], std::int64_t{size_[0]} * size_[1]};
    const auto count = static_cast<std::int64_t>(list_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = direction > 0 ? i : count - 1 - i;
      int best = start(at);
      if (best > 0) {
        const int x = static_cast<int>(at % size_[0]), y = static_cast<int>(at / stride[1] % size_[1]),
                  z = static_cast<int>(at / stride[2]);
        for (const auto& [dx, dy, dz] : before_) {
          const int u = x + direction * dx, v = y + direction * dy, w = z + direction * dz;
          if (u < 0 || v < 0 || w < 0 || u >= size_[0] || v >= size_[1] || w >= size_[2]) continue;
          best = std::min(best, list_[static_cast<std::size_t>(u + stride[1] * v + stride[2] * w)] + 1);
        }
      }
      list_[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(best);
    }
  }

 private:
  const std::array<int, 3>& size_;
  std::vector<std::uint8_t>& list_;
  std::vector<std::array<int, 3>> before_;
};

}  // namespace

std::vector<std::uint8_t> clearances(const std::array<int, 3>& size, const OpenLinks& open) {
  std::vector<std::uint8_t> list(
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]),
      widest_clearance);
  Sweep sweep(size, list);
  sweep.run(1, [&](std::int64_t at) {
    const int x = static_cast<int>(at % size[0]), y = static_cast<int>(at / size[0] % size[1]),
              z = static_cast<int>(at / size[0] / size[1]);
    const bool free = open[0](x, y, z) && open[0](x + 1, y, z) && open[1](x, y, z) && open[1](x, y + 1, z) &&
                      open[2](x, y, z) && open[2](x, y, z + 1);
    return free ? widest_clearance : 0;
  });
  sweep.run(-1, [&](std::int64_t at) { return static_cast<int>(list[static_cast<std::size_t>(at)]); });
  return list;
}

}  // namespace fdtd
