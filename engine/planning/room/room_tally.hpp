// The sums of a mesh's room on its grid: counts and sums over its faces and cut voxels, from which its memory, its
// limits and its reverberation are estimated. Processes that share the room each tally their planes; the sums do not
// depend on their number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

struct RoomTally {
  double air = 0.0;  // in voxels, of cut ones their fraction
  std::vector<std::string> materials;
  std::vector<double> areas;        // m2 of each material
  double cut_area = 0.0;            // m2 of the faces of cut voxels, and of others of which walls are oblique
  std::vector<std::int64_t> faces;  // of each material
  std::int64_t oblique = 0;         // faces of clearly less area than a voxel's
  std::int64_t cut = 0;             // voxels with a fraction of volume, or as many as one axis has cut passages
  double area() const;              // m2
  std::int64_t all_faces() const;
};

// `voxels`: the air of the whole room; faces and cut voxels of the own planes, partition.planes(). All processes make
// this call.
RoomTally tally_of(const Voxels& voxels, const PlanePartition& partition = {});

}  // namespace fdtd
