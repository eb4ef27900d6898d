#include "scenes/cut_voxels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scenes/wall_layers.hpp"

namespace fdtd {
namespace {

constexpr double along_grid = 0.999;  // |n_d| above which a wall is parallel to the grid: 2.5 degrees
constexpr double least = 0.375, most = 2.0;
constexpr double steps = 64.0;  // resolution of the volume that a face adds; passages get half of it

using Voxel = std::array<int, 3>;

class Faces {
 public:
  Faces(const AirMask& air, const std::vector<BoundaryFace>& faces, const std::vector<FaceSight>& sights)
      : air_(air),
        faces_(faces),
        sights_(sights),
        nx_(static_cast<std::uint64_t>(air.size()[0])),
        ny_(static_cast<std::uint64_t>(air.size()[1])) {}

  Voxel place(std::uint64_t node) const {
    return {static_cast<int>(node % nx_), static_cast<int>(node / nx_ % ny_), static_cast<int>(node / nx_ / ny_)};
  }
  std::uint64_t number(const Voxel& v) const {
    return static_cast<std::uint64_t>(v[0]) +
           nx_ * (static_cast<std::uint64_t>(v[1]) + ny_ * static_cast<std::uint64_t>(v[2]));
  }
  bool is_air(const Voxel& v) const { return air_(v[0], v[1], v[2]); }

  bool oblique(std::size_t f) const { return sights_[f].across < along_grid; }
  double share(std::size_t f) const { return sights_[f].across * sights_[f].across; }
  // The height of the column beyond the voxel's face, at most one voxel.
  double excess(std::size_t f) const {
    return oblique(f) ? std::clamp(std::round(16.0 * sights_[f].distance) / 16.0 - 0.5, -0.5, 1.0) : 0.0;
  }
  // The same of the neighbouring column, whose voxel has no wall on this side; its next voxel may have one.
  double excess_beyond(const Voxel& beside, std::uint8_t side) const {
    Voxel next = beside;
    next[side / 2U] += side % 2U == 0U ? -1 : 1;
    const auto face = find(next, side);
    return face ? std::min(1.0, 1.0 + excess(*face)) : 1.0;
  }
  std::optional<std::size_t> find(const Voxel& v, std::uint8_t side) const {
    const std::uint64_t node = number(v);
    auto at = std::lower_bound(faces_.begin(), faces_.end(), node,
                               [](const BoundaryFace& face, std::uint64_t n) { return face.node < n; });
    for (; at != faces_.end() && at->node == node; ++at)
      if (at->side == side) return static_cast<std::size_t>(at - faces_.begin());
    return std::nullopt;
  }

 private:
  const AirMask& air_;
  const std::vector<BoundaryFace>& faces_;
  const std::vector<FaceSight>& sights_;
  std::uint64_t nx_, ny_;
};

double rounded(double value) { return std::round(steps * value) / steps; }

// Sums the contributions of `parts` to 1, node by node.
std::vector<CutShare> shares(std::vector<CutShare> parts) {
  std::sort(parts.begin(), parts.end(), [](const CutShare& a, const CutShare& b) { return a.node < b.node; });
  std::vector<CutShare> sums;
  for (const CutShare& part : parts) {
    if (sums.empty() || sums.back().node != part.node) sums.push_back({part.node, 1.0F});
    sums.back().share += part.share;
  }
  for (CutShare& one : sums) one.share = std::clamp(one.share, static_cast<float>(least), static_cast<float>(most));
  std::erase_if(sums, [](const CutShare& one) { return one.share == 1.0F; });
  return sums;
}

}  // namespace

double setback(const std::array<float, 3>& normal) { return 0.44 * standoff(normal); }

CutVoxels cut_voxels(const AirMask& air, const std::vector<BoundaryFace>& faces, const std::vector<FaceSight>& sights) {
  const Faces all(air, faces, sights);
  std::vector<CutShare> volumes;
  std::array<std::vector<CutShare>, 3> passages;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (!all.oblique(f)) continue;
    const BoundaryFace& face = faces[f];
    const double share = all.share(f), here = rounded(share * all.excess(f));
    if (here != 0.0) volumes.push_back({face.node, static_cast<float>(here)});
    const Voxel v = all.place(face.node);
    for (std::size_t d = 0; d < 3; ++d) {
      if (d == face.side / 2U) continue;
      for (const int towards : {-1, 1}) {
        Voxel beside = v;
        beside[d] += towards;
        if (!all.is_air(beside)) continue;
        double part = here;  // of one of the two columns; the face of the other adds its half
        if (!all.find(beside, face.side)) part += rounded(share * all.excess_beyond(beside, face.side));
        if (part != 0.0)
          passages[d].push_back({towards > 0 ? face.node : all.number(beside), static_cast<float>(0.5 * part)});
      }
    }
  }
  CutVoxels cut;
  cut.volumes = shares(std::move(volumes));
  for (std::size_t d = 0; d < 3; ++d) cut.passages[d] = shares(std::move(passages[d]));
  return cut;
}

}  // namespace fdtd
