// The search for the first triangle along a ray, compiled for several instruction sets. All of them have the same hits,
// bit for bit: boxes only prune, and the triangle's test is IEEE arithmetic without fused products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/tree/tree_node.hpp"

namespace fdtd {

struct RayHit {
  std::uint32_t triangle = 0;
  double distance = 0.0;  // m
};

// Four triangles side by side. A lane that is not needed repeats the first.
struct alignas(32) TrianglePacket {
  double at[3][3][4] = {};  // m: by corner and axis
  std::uint32_t plane[4] = {}, number[4] = {};
};

// A tree whose leaves are the leaf bit and the number of a packet.
struct RayTree {
  const TreeNode* nodes = nullptr;
  const TrianglePacket* packets = nullptr;
  std::uint32_t root = 0;
};

// A ray in both precisions, and its shear for the triangle's test.
struct TreeRay {
  double from[3];
  double shear_x, shear_y, rate;
  std::size_t x, y, z;  // z: the axis that the direction is nearest to
  // By axis: the start from the middle, moved so that the near side is nearer and the far side farther.
  float near_from[3], far_from[3], inverse[3];
  std::size_t near[3], far[3];  // rows of the sides of a node
  double farthest;
  std::uint32_t skip_first, skip_second;  // planes

  TreeRay(const Point& start, const Point& direction, const Point& middle, double most, std::uint32_t first,
          std::uint32_t second);
};

struct RaySearch {
  const char* instruction_set;
  bool (*runs_here)();
  bool (*nearest)(const RayTree&, const TreeRay&, RayHit&);  // the first triangle; false: none
  bool (*any)(const RayTree&, const TreeRay&);               // is there one?
};

// Those of this build, the best first.
const std::vector<RaySearch>& ray_searches();
// The best that this processor runs.
const RaySearch& ray_search();

#define FDTD_DECLARE_RAY_SEARCH(isa)                         \
  namespace isa {                                            \
  bool nearest_hit(const RayTree&, const TreeRay&, RayHit&); \
  bool any_hit(const RayTree&, const TreeRay&);              \
  }
FDTD_DECLARE_RAY_SEARCH(baseline)
FDTD_DECLARE_RAY_SEARCH(avx2)
#undef FDTD_DECLARE_RAY_SEARCH

}  // namespace fdtd
