// The walls of a mesh's room that several processes share: each builds those about its planes, and all of them what one
// process would build.
//
// Masses and passages of cut voxels are made stable run by run, together (secured_cut.hpp), and walls that read several
// nodes agree on who reads which in the whole room (tap_owners.hpp): of these sites, but of no others, every process
// holds all. In a room of oblique walls they are few.
#pragma once

#include <array>
#include <vector>

#include "engine/plan/plan_part.hpp"
#include "engine/plan/plane_counts.hpp"
#include "engine/plan/room_planes.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/voxels/shared/plane_lists.hpp"
#include "engine/walls/cut/secured_cut.hpp"
#include "engine/walls/wall_law.hpp"
#include "engine/walls/wall_sites.hpp"

namespace fdtd {

class SharedWalls {
 public:
  // Builds and counts the walls of the process's planes, partition.planes(). `outline`: a plan with the grid, the
  // stencil, the laws and the air of the whole room (make_plan.hpp), to outlive this. `voxels`: the room's materials,
  // faces and cut voxels, of other planes too or not. All processes make the same calls; throws as make_near_wall and
  // make_boundary do.
  SharedWalls(const Plan& outline, Voxels voxels, PlanePartition partition);

  const std::vector<PlaneCounts>& counts() const { return counts_; }  // of every plane of the room
  const std::vector<TapFraction>& tap_fractions() const { return taps_; }

  // The walls of planes [begin, end) = wanted[partition.index] and about them; `wanted`: of all processes, the same at
  // each.
  // Once: the faces and voxels that they are made of are gone then.
  RoomPlanes take_planes(const std::vector<std::array<int, 2>>& wanted);

 private:
  struct Part;
  CutVoxels cut_about_own_planes() const;
  Part part(const std::vector<std::array<int, 2>>& wanted, bool last);
  void settle(const Part& part, const std::array<int, 2>& own);
  RoomPlanes finished(Part part) const;
  void count(RoomPlanes planes, const std::array<int, 2>& own);
  int plane_of(std::uint64_t node) const { return static_cast<int>(node / in_plane_); }

  const Plan& outline_;
  PlanePartition partition_;
  bool is_cut_ = false;
  std::uint64_t in_plane_;
  std::vector<std::string> materials_;
  std::vector<BoundaryFace> faces_;  // of the own planes
  CutVoxels cut_;
  SecuredCut secured_;
  // Sites that read several nodes or stand where such a site reads, of the whole room: with their plain laws, and with
  // the chosen laws.
  std::vector<WallSite> contested_, settled_;
  std::vector<PlaneCounts> counts_;
  std::vector<TapFraction> taps_;
};

// The part of `rank` in an outline, cut from the walls that all ranks have built together; all make this call, once.
// Throws Error (status resource) as split does.
PlanPart part_of_mesh(const Plan& outline, SharedWalls& walls, int ranks, int rank);

}  // namespace fdtd
