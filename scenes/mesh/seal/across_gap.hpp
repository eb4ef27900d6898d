// The surface that a place on an edge faces across a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/gap_edges.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

struct AcrossGap {
  Point to{};               // m, the nearest place
  double width = 0.0;       // m, across the edge; 0: a surface touches the edge
  std::uint32_t facet = 0;  // that has it
};

class AcrossGaps {
 public:
  AcrossGaps(const Mesh& mesh, const GapEdge& edge, const BoxTree& tree, double width, double tolerance);

  bool none() const { return near_.empty(); }
  struct Break {
    double at;     // m, along the edge
    bool uniform;  // no corner and no surface is there
  };
  // The ends of the edge, where corners of surfaces near it lie and surfaces cross it, and places between them; about
  // `most` at most, and no closer than `spacing`.
  std::vector<Break> breaks(double spacing, std::size_t most) const;
  // at() is called between these places (m) from now on.
  void enter(double begin, double end);
  // In the plane perpendicular to the edge the nearest surface narrower than the width: straight ahead if there is one,
  // else in all directions that lead away from the edge's facets; else, where surfaces end beside that plane, the
  // nearest corner in a cone of 50 degrees around it.
  std::optional<AcrossGap> at(double metres) const;

 private:
  struct Near {
    std::array<Point, 3> corners;  // in the edge's frame: x, y, along it
    double first, last;            // along it
    std::uint32_t facet;
    std::optional<double> crossing() const;  // of its plane with the edge's line, along the edge
  };
  struct Sector {
    double first, last;  // rad
  };
  void nearest_in(const Sector& sector, double metres, std::optional<AcrossGap>& found) const;
  void corner_near(double metres, std::optional<AcrossGap>& found) const;
  Point placed(const Point& in_frame) const;

  const GapEdge& edge_;
  double width_, tolerance_;
  std::vector<Near> near_;
  std::vector<std::uint32_t> here_;  // of near_
  Sector ahead_{};
  std::vector<Sector> beside_;
};

}  // namespace fdtd
