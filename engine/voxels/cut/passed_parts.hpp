// The parts of cut cells that are no nodes: each passes its volume and its wall on to the node to which it is most
// open, and faces between such parts belong to the passage between the nodes to which they are passed. Only what is
// passed to the process's own nodes is kept.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/voxels/cut/cut_cells.hpp"
#include "engine/voxels/cut/cut_faces.hpp"

namespace fdtd {

class PassedParts {
 public:
  struct PassedFraction {
    std::uint64_t node;
    double fraction;  // of a volume in voxels, or of a passage in faces
  };
  explicit PassedParts(const CutCells& cells, const std::array<double, 3>& face_areas);

  std::vector<FaceArea> take_walls() { return std::move(walls_); }  // in order of the cells that pass them on
  // Adds what nodes are passed to their fractions: 1 where they have none. Both in order of node.
  void add_to_volumes(std::vector<CutFraction>& volumes) const { add(volumes_, volumes); }
  void add_to_passages(std::size_t axis, std::vector<CutFraction>& passages) const { add(passages_[axis], passages); }
  std::vector<CutLink> take_links() { return std::move(links_); }

 private:
  struct Passed {
    const CutCells::Stored* cell;
    std::uint8_t part;
    bool has_node;
    std::uint64_t node;
  };
  static void add(const std::vector<PassedFraction>& passed, std::vector<CutFraction>& fractions);
  void find_parts();
  void find_nodes();
  bool leads_to(const CutCells::Stored& cell, const FacePiece& piece, std::uint64_t& node) const;
  void pass_passages_on();
  void add_link(const Passed& from, std::uint64_t to, std::size_t axis, double area);

  const CutCells& cells_;
  std::vector<Passed> parts_;  // in order of cell and part
  std::vector<FaceArea> walls_;
  std::vector<PassedFraction> volumes_;
  std::array<std::vector<PassedFraction>, 3> passages_;
  std::vector<CutLink> links_;
  std::array<double, 3> spacing_{};
};

}  // namespace fdtd
