// Openings between parts of a room that are narrow for its grid: doors ajar, slits, necks of resonators, holes in screens.
//
// The space is looked at on a finer grid of its own. Voxels are joined in order of their distance from the next surface,
// the farthest first; where two parts meet at a place much narrower than either, that is an opening between them (as
// pores and throats of porous media are told apart: J. T. Gostick, Versatile and efficient pore network extraction
// method using marker-based watershed segmentation, Physical Review E 96, 2017).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/voxels/space/mesh_grid.hpp"
#include "engine/voxels/space/space_parts.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct NarrowOpening {
  std::array<double, 3> position{};      // m, in the coordinates of the mesh
  std::array<double, 3> low{}, high{};   // m, of where its two parts meet
  double width = 0.0;                    // m, the shorter side
  std::array<std::uint32_t, 2> parts{};  // that it joins; the larger one first
  double behind = 0.0, before = 0.0;     // m3, of the smaller and of the larger one
};

class SpaceRegions {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  // In space that is connected to `sources`; nothing outside the room. Parts narrower than one voxel of `grid`, and
  // openings wider than three, are none, but for cavities that are closed nearly all around. No openings where the grid
  // has more than `max_voxels`.
  static constexpr double max_voxels = 1.6e7;
  SpaceRegions(const Mesh& mesh, const MeshGrid& grid, const std::vector<std::array<double, 3>>& sources);

  const std::vector<NarrowOpening>& openings() const { return openings_; }  // the widest first
  bool searched() const { return searched_; }                               // false where the grid has too many voxels
  // The part that a point (m) belongs to, or `none`.
  std::uint32_t part_at(const std::array<double, 3>& point) const;
  // The part that more than `fraction` of a box's space (m) belongs to, of that of parts with openings, or `none`.
  std::uint32_t part_in(const std::array<double, 3>& low, const std::array<double, 3>& high, double fraction) const;
  bool has_openings(std::uint32_t part) const { return joined_.contains(part); }
  std::array<double, 3> centre_near(const std::array<double, 3>& point) const;  // of the voxel around it
  std::array<double, 3> widest_place(std::uint32_t part) const;  // m, a point of it as far from surfaces as any
  int times() const { return times_; }                           // voxels of its own across one of the grid
  double finest() const;                                         // m: narrower openings may be unseen

 private:
  struct Contact {
    std::uint64_t voxel;
    std::uint32_t axis;
    std::array<std::uint32_t, 2> parts;
  };
  std::uint32_t find(std::uint32_t voxel);
  // Calls visit(other) for the voxels beside one to which nothing bars the way.
  template <class Visit>
  void each_open_neighbour(std::uint32_t i, const OpenLinks& open, const Visit& visit) const;
  // Voxels farther from surfaces than any opening is wide, joined; the others in order, the farthest from surfaces first.
  struct Joining {
    std::vector<std::uint32_t> parts, narrow;
  };
  Joining begin_joining(const std::vector<std::uint8_t>& clearance);
  double half_width(int clearance) const { return (clearance + 0.5) / times_; }  // in voxels of the grid
  // Parts are as wide as `min_width` voxels of the grid at least, and openings narrower than `narrowed` of their parts.
  void join(const Joining& begun, const std::vector<std::uint8_t>& clearance, const OpenLinks& open, double min_width,
            double narrowed);
  void add_cavities(const Joining& begun, const std::vector<std::uint8_t>& clearance, const OpenLinks& open);
  std::vector<Contact> contacts(const OpenLinks& open) const;
  void divide_evenly(const std::vector<Contact>& contacts, const std::vector<std::uint8_t>& clearance,
                     const OpenLinks& open);
  void keep_connected(std::vector<Contact>& contacts, const OpenLinks& open,
                      const std::vector<std::vector<std::array<int, 3>>>& in_sight) const;
  std::vector<std::vector<std::size_t>> touching(const std::vector<Contact>& contacts) const;
  NarrowOpening opening_of(const std::vector<Contact>& contacts, const std::vector<std::size_t>& group,
                           const std::vector<std::uint8_t>& clearance) const;
  void gather(const std::vector<Contact>& contacts, const std::vector<std::uint8_t>& clearance);
  std::array<int, 3> voxel(std::uint64_t number) const {
    const auto nx = static_cast<std::uint64_t>(fine_.size[0]), ny = static_cast<std::uint64_t>(fine_.size[1]);
    return {static_cast<int>(number % nx), static_cast<int>(number / nx % ny), static_cast<int>(number / nx / ny)};
  }

  int times_ = 1;  // voxels across one of the grid
  bool searched_ = false;
  MeshGrid fine_;
  std::vector<std::uint32_t> part_;  // of each voxel
  std::vector<NarrowOpening> openings_;
  std::set<std::uint32_t> joined_;  // their parts
};

}  // namespace fdtd
