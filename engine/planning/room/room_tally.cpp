#include "engine/planning/room/room_tally.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/voxels/shared/plane_sums.hpp"

namespace fdtd {

double RoomTally::area() const { return std::accumulate(areas.begin(), areas.end(), 0.0); }
std::int64_t RoomTally::all_faces() const { return std::accumulate(faces.begin(), faces.end(), std::int64_t{0}); }

RoomTally tally_of(const Voxels& voxels, const PlanePartition& partition) {
  constexpr float flat = 0.97F;  // a face of a smaller area belongs to an oblique wall
  const auto& h = voxels.spacing;
  const std::array<double, 3> face = {h[1] * h[2], h[0] * h[2], h[0] * h[1]};
  const std::array<int, 3> size = voxels.air.size();
  const std::uint64_t in_plane = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]);
  const auto plane = [&](std::uint64_t node) { return static_cast<int>(node / in_plane); };
  const std::size_t materials = voxels.materials.size(), cut_area = materials, missing = materials + 1;
  const auto [begin, end] = partition.planes(size[2]);
  PlaneSums sums(begin, end, materials + 2);
  // Counts: faces by material, oblique ones; volumes and passages that are not whole.
  std::vector<std::int64_t> counts(materials + 5, 0);
  for (const CutFraction& one : voxels.cut.volumes)
    sums.at(plane(one.node), missing) += 1.0 - static_cast<double>(one.fraction);
  auto next = voxels.cut.volumes.begin();  // both lists ascend by node
  for (const BoundaryFace& one : voxels.faces) {
    while (next != voxels.cut.volumes.end() && next->node < one.node) ++next;
    const double area = static_cast<double>(one.area) * face[one.side / 2U];
    sums.at(plane(one.node), one.material) += area;
    if (one.area != 1.0F || (next != voxels.cut.volumes.end() && next->node == one.node))
      sums.at(plane(one.node), cut_area) += area;
    ++counts[one.material];
    if (one.area < flat) ++counts[materials];
  }
  counts[materials + 1] = static_cast<std::int64_t>(voxels.cut.volumes.size());
  for (std::size_t d = 0; d < 3; ++d)
    counts[materials + 2 + d] = static_cast<std::int64_t>(voxels.cut.passages[d].size());

  const std::vector<double> total = sums.total(partition);
  const std::vector<std::int64_t> all = gathered(counts, partition);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = 0;
    for (std::size_t p = i; p < all.size(); p += counts.size()) counts[i] += all[p];
  }
  RoomTally tally;
  tally.materials = voxels.materials;
  tally.air = static_cast<double>(voxels.air.count()) - total[missing];
  tally.areas.assign(total.begin(), total.begin() + static_cast<std::ptrdiff_t>(materials));
  tally.cut_area = total[cut_area];
  tally.faces.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(materials));
  tally.oblique = counts[materials];
  tally.cut = *std::max_element(counts.begin() + static_cast<std::ptrdiff_t>(materials + 1), counts.end());
  return tally;
}

}  // namespace fdtd
