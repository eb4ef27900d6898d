#include "engine/voxels/shared/shared_mask.hpp"

#include <algorithm>
#include <utility>

#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {
namespace {

struct MaskRun {
  int begin, end, y, z;
};

std::vector<MaskRun> runs_of(const MaskPlanes& planes) {
  std::vector<MaskRun> all;
  std::vector<AirMask::Run> row;
  const std::array<int, 3> size = planes.mask.size();
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      planes.mask.runs(y, z, row);
      for (const AirMask::Run& one : row) all.push_back({one.begin, one.end, y, planes.begin + z});
    }
  }
  return all;
}

void set_runs(const std::vector<MaskRun>& runs, int begin, AirMask& mask) {
  for (const MaskRun& one : runs) mask.set_run(one.begin, one.end, one.y, one.z - begin);
}

}  // namespace

MaskPlanes walls_in_planes(const std::array<int, 3>& size, int begin, int end) {
  return {begin, begin < end ? AirMask::walls({size[0], size[1], end - begin}) : AirMask()};
}

MaskPlanes planes_of_all(MaskPlanes own, const std::array<int, 3>& size, const std::vector<std::array<int, 2>>& wanted,
                         const PlanePartition& partition) {
  if (partition.whole()) return own;
  const std::vector<MaskRun> mine = runs_of(own);
  own = {};
  const std::array<int, 2>& range = wanted[static_cast<std::size_t>(partition.index)];
  MaskPlanes planes = walls_in_planes(size, range[0], range[1]);
  set_runs(of_planes(mine, wanted, partition, [](const MaskRun& run) { return run.z; }), range[0], planes.mask);
  return planes;
}

AirMask whole_mask(MaskPlanes own, const std::array<int, 3>& size, const PlanePartition& partition) {
  if (partition.whole()) return std::move(own.mask);
  AirMask all = AirMask::walls(size);
  for (int from = 0; from < partition.count; ++from) {
    const bool here = from == partition.index;
    set_runs(gathered(here ? runs_of(own) : std::vector<MaskRun>{}, partition), 0, all);
    if (here) own = {};
  }
  return all;
}

}  // namespace fdtd
