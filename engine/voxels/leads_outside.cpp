#include "engine/voxels/leads_outside.hpp"

#include "engine/voxels/cut/cut_lattice.hpp"
#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/space_parts.hpp"

namespace fdtd {

bool leads_outside(const Mesh& mesh, const MeshGrid& grid, const std::array<int, 3>& voxel) {
  const PlanePartition alone;
  const PlaneRange all = {0, grid.size[2]};
  const OpenLinks open = grid.cut
                             ? CutLattice(mesh, grid.size, grid.spacing, grid.corner).open_links(all)
                             : open_links(grid.size, find_crossings(mesh, grid.size, grid.spacing, grid.corner), all);
  const SpaceParts parts(AirMask(grid.size), open, grid.size, alone);
  return parts.part(voxel[0], voxel[1], voxel[2]) == SpaceParts::outside;
}

}  // namespace fdtd
