// Cut voxels of a room that several processes share: each has the voxels of its planes and of a few planes beyond, and
// makes of its own the same as one process would.
//
// Along x and y a run lies in one plane. Runs along z that come near a border between processes are gathered whole at
// each process, some lines at a time, and judged there; masses that the others' nodes have been lent are passed on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/voxels/shared/plane_lists.hpp"
#include "engine/walls/cut/cut_nodes.hpp"

namespace fdtd {

class SharedNodes {
 public:
  // Planes beyond the own ones whose nodes are listed. The result of a round of loans at a node depends on nodes five
  // planes away (mass_loans.cpp).
  static constexpr int planes_beyond = 5;
  // The cut voxels that this process lists, in order.
  static CutVoxels listed(const CutVoxels& cut, const AirMask& air, const PlanePartition& partition);

  SharedNodes(const AirMask& air, CutNodes& nodes, const PlanePartition& partition);

  bool alone() const { return partition_.whole(); }
  bool own(std::size_t i) const { return own_begin_ <= i && i < own_end_; }
  // The runs that this process judges alone.
  std::vector<CutRun> runs_along(std::size_t d) const;
  // work(lines, places) of the other runs along z, whole, with all that they are made of along z; the place here of each
  // node of `lines`, or count(). The process takes what `work` makes of passages, weights and ends.
  template <class Work>
  void each_lines(const Work& work) {
    for (std::size_t b = 0; b < batches_; ++b) {
      CutNodes lines = gathered_lines(b);
      std::vector<std::size_t> places(lines.count());
      lines.each([&](std::size_t i) { places[i] = nodes_.find(lines.node(i)); });
      work(lines, places);
      lines.each([&](std::size_t i) {
        if (places[i] == nodes_.count()) return;
        nodes_.up[2][places[i]] = lines.up[2][i];
        nodes_.weight[2][places[i]] = lines.weight[2][i];
        nodes_.end[2][places[i]] = lines.end[2][i];
      });
    }
  }
  // Takes over the masses of others' nodes near the own planes that differ since the last call. False when no process
  // has `changed` any.
  bool pass_masses(const std::vector<double>& change);
  Violation worst();  // of all processes' nodes

 private:
  CutNodes gathered_lines(std::size_t batch) const;

  const AirMask& air_;
  CutNodes& nodes_;
  const PlanePartition& partition_;
  std::size_t own_begin_ = 0, own_end_ = 0;
  std::vector<char> in_lines_;  // of nodes: whether they belong to runs that are gathered
  std::size_t batches_ = 0;
  std::vector<std::vector<std::uint32_t>> of_batch_;  // own nodes of such runs, by batch
  std::vector<std::uint32_t> near_;                   // own nodes that others list
};

// secure (secured_cut.hpp) by processes that share the room: each gets its own planes' part, and needs `cut` of these and
// of planes_beyond more on either side. All processes make this call.
SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds,
                  const PlanePartition& partition);

}  // namespace fdtd
