// The search along a ray, compiled once an instruction set, which FDTD_ISA names. Everything but the entry points is in
// an anonymous namespace, and nothing of the standard library is called.
#include "scenes/mesh/tree/lanes.hpp"
#include "scenes/mesh/tree/ray_search.hpp"
#include "scenes/mesh/tree/tree_build.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd {
namespace {

constexpr float slack = 1.0F + 0x1p-20F;  // beyond the rounding of three products

// A child with the distance at which the ray enters it, to be compared as a number: distances are not negative.
FDTD_LANES std::uint64_t key_of(float enter, std::uint32_t child) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &enter, sizeof bits);
  return std::uint64_t{bits} << 32U | child;
}

FDTD_LANES void sort_down(std::uint64_t& a, std::uint64_t& b) {  // without a branch
  const std::uint64_t more = a > b ? a : b, less = a > b ? b : a;
  a = more;
  b = less;
}

// The least float that is not below x > 0.
FDTD_LANES float rounded_up(double x) {
  float near = static_cast<float>(x);
  std::uint32_t bits;
  __builtin_memcpy(&bits, &near, sizeof bits);
  if (static_cast<double>(near) < x) ++bits;
  __builtin_memcpy(&near, &bits, sizeof bits);
  return near;
}

template <bool any>
struct Search {
  const TreeRay& ray;
  double best;
  float before;  // best, rounded up
  bool found = false;
  RayHit nearest{};

  FDTD_LANES explicit Search(const TreeRay& one) : ray(one), best(one.farthest), before(rounded_up(one.farthest)) {}

  // Tests the triangles of a packet; true: the search is over.
  FDTD_LANES bool meet(const TrianglePacket& four) {
    const Doubles shear_x = Doubles::all(ray.shear_x), shear_y = Doubles::all(ray.shear_y),
                  from_x = Doubles::all(ray.from[ray.x]), from_y = Doubles::all(ray.from[ray.y]),
                  from_z = Doubles::all(ray.from[ray.z]), zero = Doubles::all(0.0);
    Doubles x[3], y[3], z[3];
    for (int c = 0; c < 3; ++c) {
      z[c] = Doubles::load(four.at[c][ray.z]) - from_z;
      x[c] = (Doubles::load(four.at[c][ray.x]) - from_x) - shear_x * z[c];
      y[c] = (Doubles::load(four.at[c][ray.y]) - from_y) - shear_y * z[c];
    }
    const Doubles u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    const unsigned out = below(least(least(u, v), w), zero) & below(zero, most(most(u, v), w));
    if (out == 15U) return false;
    const Doubles sum = u + v + w;
    alignas(32) double distance[4];
    ((u * z[0] + v * z[1] + w * z[2]) / sum * Doubles::all(ray.rate)).store(distance);
    // Where the sum is 0 the ray lies in the triangle's plane.
    for (unsigned in = ~out & (below(sum, zero) | below(zero, sum)); in != 0; in &= in - 1) {
      const int k = __builtin_ctz(in);
      const double at = distance[k];
      if (!(at > 0.0) || !(at < best || (found && at == best && four.number[k] < nearest.triangle))) continue;
      if (four.plane[k] == ray.skip_first || four.plane[k] == ray.skip_second) continue;
      if (any) return true;
      best = at;
      before = rounded_up(at);
      nearest.triangle = four.number[k];
      nearest.distance = at;
      found = true;
    }
    return false;
  }

  FDTD_LANES bool run(const RayTree& tree) {
    std::uint64_t waiting[most_waiting];  // the nearest child of a node last
    std::size_t count = 0;
    std::uint32_t child = tree.root;
    Floats near[3], far[3], over[3];
    for (int d = 0; d < 3; ++d) {
      near[d] = Floats::all(ray.near_from[d]);
      far[d] = Floats::all(ray.far_from[d]);
      over[d] = Floats::all(ray.inverse[d]);
    }
    for (;;) {
      if ((child & leaf_bit) != 0) {
        if (meet(tree.packets[child & ~leaf_bit])) return true;
      } else {
        const TreeNode& node = tree.nodes[child];
        Floats enter = Floats::all(0.0F), leave = Floats::all(before);
        for (int d = 0; d < 3; ++d) {
          enter = most((Floats::load(node.sides[ray.near[d]]) - near[d]) * over[d], enter);
          leave = least((Floats::load(node.sides[ray.far[d]]) - far[d]) * over[d], leave);
        }
        unsigned met = not_above(enter, leave * Floats::all(slack));
        if (met != 0) {
          const int first = __builtin_ctz(met);
          met &= met - 1;
          if (met == 0) {
            child = node.child[first];
            continue;
          }
          alignas(32) float entered[node_width];
          enter.store(entered);
          std::uint64_t one = key_of(entered[first], node.child[first]);
          const std::size_t bottom = count;
          do {
            const int i = __builtin_ctz(met);
            met &= met - 1;
            std::uint64_t other = key_of(entered[i], node.child[i]);
            sort_down(other, one);
            std::size_t at = count++;
            for (; at > bottom && waiting[at - 1] < other; --at) waiting[at] = waiting[at - 1];
            waiting[at] = other;
          } while (met != 0);
          child = static_cast<std::uint32_t>(one);
          continue;
        }
      }
      float entered;
      do {
        if (count == 0) return found;
        const std::uint64_t one = waiting[--count];
        child = static_cast<std::uint32_t>(one);
        const auto bits = static_cast<std::uint32_t>(one >> 32U);
        __builtin_memcpy(&entered, &bits, sizeof entered);
      } while (entered > before * slack);
    }
  }
};

}  // namespace

namespace FDTD_ISA {

bool nearest_hit(const RayTree& tree, const TreeRay& ray, RayHit& hit) {
  Search<false> search(ray);
  const bool found = search.run(tree);
  hit = search.nearest;
  return found;
}

bool any_hit(const RayTree& tree, const TreeRay& ray) { return Search<true>(ray).run(tree); }

}  // namespace FDTD_ISA
}  // namespace fdtd
