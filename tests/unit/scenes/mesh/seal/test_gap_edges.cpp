// Edges at which a gap may begin: those of sheets and those at which a surface turns away.
#include "scenes/mesh/seal/gap_edges.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::vector<GapEdge> edges_of(const Mesh& mesh) {
  std::vector<std::uint32_t> itself(mesh.vertices.size());
  std::iota(itself.begin(), itself.end(), 0U);
  return gap_edges(mesh, itself, 1e-9);
}

}  // namespace

TEST_CASE("a sheet has its four edges and half a plane at each, its diagonal is none", "[unit]") {
  Mesh mesh;
  add_quad(mesh, {Place{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}, "sheet", unturned);
  merge_vertices(mesh);
  const std::vector<GapEdge> edges = edges_of(mesh);
  REQUIRE(edges.size() == 4);
  CHECK(edges[0].length == 2.0);  // the longest first
  CHECK(edges[3].length == 1.0);
  for (const GapEdge& edge : edges) CHECK(std::abs(edge.last - edge.first - std::numbers::pi) < 1e-12);
}

TEST_CASE("a block has its twelve edges with the cone between the normals of their facets", "[unit]") {
  const std::vector<GapEdge> edges = edges_of(box_mesh({0, 0, 0}, {1, 2, 3}));
  REQUIRE(edges.size() == 12);
  for (const GapEdge& edge : edges) {
    CHECK(edge.facets.size() == 2);
    CHECK(std::abs(edge.last - edge.first - 0.5 * std::numbers::pi) < 1e-12);
    // The middle of the cone leads away from the block's middle.
    const double angle = 0.5 * (edge.first + edge.last);
    double outwards = 0.0;
    const Place middle = {0.5, 1.0, 1.5};
    for (std::size_t d = 0; d < 3; ++d)
      outwards += (std::cos(angle) * edge.x[d] + std::sin(angle) * edge.y[d]) *
                  (edge.from[d] + 0.5 * edge.length * edge.along[d] - middle[d]);
    CHECK(outwards > 0.0);
  }
}

TEST_CASE("edges of a finely curved surface are none, those of a coarse one are", "[unit]") {
  CHECK(edges_of(sphere_mesh({0, 0, 0}, 1.0, 8)).size() > 100);
  Mesh bent;  // by a fifth of a degree
  add_quad(bent, {Place{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, "a", unturned);
  add_quad(bent, {Place{1, 0, 0}, {2, 0, 0.0035}, {2, 1, 0.0035}, {1, 1, 0}}, "a", unturned);
  merge_vertices(bent);
  CHECK(edges_of(bent).size() == 6);
}
