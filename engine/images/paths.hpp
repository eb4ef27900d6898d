// The specular paths of a room of facets: found by rays, proved exactly.
//
// A sequence of facets is a candidate where a ray from the source that met it passes near a receiver: a sphere grows
// with the path, so that a path seen through facets larger than the sphere is missed with a probability below 1 %.
// Candidates are proved as image sources are: the source is mirrored in the planes in turn, and from the receiver back
// the first thing that each leg meets must be the facet that is due. Rays near an edge meet facets at right angles in
// other orders than the path does: where a leg meets another facet of the sequence first, and the image source stays
// where it is, this order is tried (J. Borish, "Extension of the image model to
// arbitrary polyhedra", J. Acoust. Soc. Am. 75, 1984; M. Vorlaender, J. Acoust. Soc. Am. 86, 1989). So none is false.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/facets/facets.hpp"
#include "engine/images/specular_path.hpp"

namespace fdtd {

// Of each receiver, sorted by length, then by facets, up to `order` reflections; the direct path is that without
// facets, where nothing blocks it. A path through an edge is one, whichever facet counts as the first. The same for any
// number of threads.
std::vector<std::vector<SpecularPath>> specular_paths(const FacetRoom& room, const Point& source,
                                                      std::span<const Point> receivers, int order, std::int64_t rays);

// Proves single sequences; any number of threads may ask.
class PathProof {
 public:
  explicit PathProof(const FacetRoom& room);
  // The path by these facets, the source's first; nothing if there is none.
  std::optional<SpecularPath> operator()(const Point& source, const Point& receiver,
                                         const std::vector<std::uint32_t>& facets) const;
  // The same, or by these facets in another order that has the same image source.
  std::optional<SpecularPath> in_some_order(const Point& source, const Point& receiver,
                                            std::vector<std::uint32_t> facets) const;

 private:
  // Of a sequence that is no path: the leg (the number of its facet in the sequence) at which another facet is met
  // first, and this facet.
  struct Met {
    std::size_t leg = 0;
    std::uint32_t facet = no_facet;
  };
  std::optional<SpecularPath> prove(const Point& source, const Point& receiver,
                                    const std::vector<std::uint32_t>& facets, Met& met) const;
  bool on_facet(std::uint32_t facet, const Point& point) const;

  const FacetRoom& room_;
  std::vector<std::vector<std::uint32_t>> triangles_;  // by facet
  std::vector<std::array<Point, 2>> bounds_;           // by facet: the lowest and the highest coordinates
};

inline constexpr std::size_t receivers_a_group = 16;  // whose candidates are in memory together
inline constexpr std::size_t most_paths = 2000;       // of a source and a receiver
// The largest order, at most `order`, of which no receiver has more than `most` paths; longer ones are removed.
int limit_order(std::vector<std::vector<SpecularPath>>& paths, int order, std::size_t most = most_paths);

}  // namespace fdtd
