#include "engine/facets/triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/facets/points.hpp"
#include "engine/facets/tree_build.hpp"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace fdtd {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();

float down(double x) {
  const auto near = static_cast<float>(x);
  return double{near} > x ? std::nextafter(near, -never) : near;
}

float up(double x) {
  const auto near = static_cast<float>(x);
  return double{near} < x ? std::nextafter(near, never) : near;
}

// Distances at which a ray enters and leaves the four boxes of a node.
struct Slabs {
  alignas(16) std::array<float, 4> enter{};
  unsigned met = 0;  // a bit for each box
};

// Of a point from the segment from a to b.
double square_from_segment(const Point& a, const Point& b, const Point& from) {
  const Point way = minus(b, a);
  const double square = dot(way, way),
               part = square > 0.0 ? std::clamp(dot(minus(from, a), way) / square, 0.0, 1.0) : 0.0;
  const Point off = minus(from, along(a, part, way));
  return dot(off, off);
}

double square_distance(const std::array<Point, 3>& corners, const Point& from) {
  double least = std::numeric_limits<double>::infinity();
  const Point normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
  bool above = true;  // the triangle
  for (std::size_t c = 0; c < 3; ++c) {
    const Point &a = corners[c], &b = corners[(c + 1) % 3];
    least = std::min(least, square_from_segment(a, b, from));
    above = above && dot(cross(minus(b, a), minus(from, a)), normal) >= 0.0;
  }
  const double height = dot(minus(from, corners[0]), normal);
  return above ? std::min(least, height * height / dot(normal, normal)) : least;
}

constexpr float slack = 1.0F + 0x1p-20F;  // beyond the rounding of three products

}  // namespace

// A ray in both precisions, and its shear for the triangle's test.
struct TriangleTree::Ray {
  Point from{};
  double shear_x = 0.0, shear_y = 0.0, rate = 1.0;
  std::size_t x = 0, y = 0, z = 0;  // z: the axis that the direction is nearest to
  // By axis: the start, rounded so that the near side is nearer and the far side farther.
  std::array<float, 3> near_from{}, far_from{}, inverse{};
  std::array<bool, 3> backwards{};
  double farthest = 0.0;

  Ray(const Point& start, const Point& direction, const Point& middle, double most) : from(start), farthest(most) {
    z = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (std::abs(direction[d]) > std::abs(direction[z])) z = d;
    x = (z + 1) % 3;
    y = (x + 1) % 3;
    if (direction[z] < 0.0) std::swap(x, y);
    rate = 1.0 / direction[z];
    shear_x = direction[x] * rate;
    shear_y = direction[y] * rate;
    for (std::size_t d = 0; d < 3; ++d) {
      backwards[d] = std::signbit(direction[d]);
      const double way = std::copysign(std::max(std::abs(direction[d]), 1e-30), direction[d]);
      inverse[d] = static_cast<float>(1.0 / way);
      const double at = start[d] - middle[d];
      near_from[d] = backwards[d] ? down(at) : up(at);
      far_from[d] = backwards[d] ? up(at) : down(at);
    }
  }

  Slabs meet(const TreeNode& node, float before) const;
  // The distance of a triangle; infinity: the ray does not meet it.
  double distance(const std::array<Point, 3>& corners) const;
};

#ifdef __SSE2__
Slabs TriangleTree::Ray::meet(const TreeNode& node, float before) const {
  __m128 enter = _mm_setzero_ps(), leave = _mm_set1_ps(before);
  for (std::size_t d = 0; d < 3; ++d) {
    const __m128 over = _mm_set1_ps(inverse[d]);
    const __m128 near = _mm_load_ps(backwards[d] ? node.high[d].data() : node.low[d].data()),
                 far = _mm_load_ps(backwards[d] ? node.low[d].data() : node.high[d].data());
    enter = _mm_max_ps(_mm_mul_ps(_mm_sub_ps(near, _mm_set1_ps(near_from[d])), over), enter);
    leave = _mm_min_ps(_mm_mul_ps(_mm_sub_ps(far, _mm_set1_ps(far_from[d])), over), leave);
  }
  Slabs slabs;
  _mm_store_ps(slabs.enter.data(), enter);
  slabs.met = static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(enter, _mm_mul_ps(leave, _mm_set1_ps(slack)))));
  return slabs;
}
#else
Slabs TriangleTree::Ray::meet(const TreeNode& node, float before) const {
  Slabs slabs;
  std::array<float, 4> leave;
  leave.fill(before);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& near = backwards[d] ? node.high[d] : node.low[d];
    const auto& far = backwards[d] ? node.low[d] : node.high[d];
    for (std::size_t i = 0; i < 4; ++i) {
      const float in = (near[i] - near_from[d]) * inverse[d], out = (far[i] - far_from[d]) * inverse[d];
      slabs.enter[i] = in > slabs.enter[i] ? in : slabs.enter[i];
      leave[i] = out < leave[i] ? out : leave[i];
    }
  }
  for (unsigned i = 0; i < 4; ++i) slabs.met |= slabs.enter[i] <= leave[i] * slack ? 1U << i : 0U;
  return slabs;
}
#endif

double TriangleTree::Ray::distance(const std::array<Point, 3>& corners) const {
  std::array<double, 3> px, py, pz;
  for (std::size_t c = 0; c < 3; ++c) {
    pz[c] = corners[c][z] - from[z];
    px[c] = (corners[c][x] - from[x]) - shear_x * pz[c];
    py[c] = (corners[c][y] - from[y]) - shear_y * pz[c];
  }
  const double u = px[2] * py[1] - py[2] * px[1], v = px[0] * py[2] - py[0] * px[2], w = px[1] * py[0] - py[1] * px[0];
  if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0))
    return std::numeric_limits<double>::infinity();
  const double sum = u + v + w;
  if (sum == 0.0) return std::numeric_limits<double>::infinity();  // the ray lies in the triangle's plane
  return (u * pz[0] + v * pz[1] + w * pz[2]) / sum * rate;
}

TriangleTree::TriangleTree(std::vector<Point> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
                           std::vector<std::uint32_t> facet_of_triangle,
                           const std::vector<std::uint32_t>& plane_of_facet)
    : vertices_(std::move(vertices)),
      triangles_(std::move(triangles)),
      facet_of_triangle_(std::move(facet_of_triangle)),
      plane_of_facet_(plane_of_facet) {
  std::vector<std::uint32_t> there;
  Point low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    if (facet_of_triangle_[t] == no_facet) continue;
    there.push_back(t);
    for (const std::uint32_t v : triangles_[t])
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], vertices_[v][d]);
        high[d] = std::max(high[d], vertices_[v][d]);
      }
  }
  if (there.empty()) {
    root_ = no_child;
    return;
  }
  for (std::size_t d = 0; d < 3; ++d) middle_[d] = 0.5 * low[d] + 0.5 * high[d];
  std::vector<TightBox> boxes(there.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    const auto& [a, b, c] = triangles_[there[i]];
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [least, most] = std::minmax({vertices_[a][d], vertices_[b][d], vertices_[c][d]});
      boxes[i].low[d] = down(least - middle_[d]);
      boxes[i].high[d] = up(most - middle_[d]);
    }
  }
  BuiltTree built = build_tree(boxes);
  nodes_ = std::move(built.nodes);
  root_ = built.root;
  corners_.reserve(there.size());
  for (const std::uint32_t i : built.order) {
    const std::uint32_t t = there[i];
    const auto& [a, b, c] = triangles_[t];
    corners_.push_back({{vertices_[a], vertices_[b], vertices_[c]}, plane_of(facet_of_triangle_[t]), t});
  }
}

std::uint32_t TriangleTree::plane_of(std::uint32_t facet) const {
  return facet < plane_of_facet_.size() ? plane_of_facet_[facet] : facet;
}

template <bool any>
bool TriangleTree::search(const Ray& ray, std::uint32_t skip_first, std::uint32_t skip_second, RayHit& nearest) const {
  struct Waiting {
    std::uint32_t child;
    float enter;
  };
  std::array<Waiting, 256> waiting;  // three a level, of at most 70
  std::size_t count = 0;
  std::uint32_t child = root_;
  double best = ray.farthest;
  float before = up(best);
  bool found = false;
  while (child != no_child) {
    if ((child & leaf_bit) != 0) {
      const std::uint32_t first = child & leaf_first, last = first + ((child & ~leaf_bit) >> leaf_shift);
      for (std::uint32_t i = first; i <= last; ++i) {
        const Corners& one = corners_[i];
        if (one.plane == skip_first || one.plane == skip_second) continue;
        const double at = ray.distance(one.at);
        if (!(at > 0.0) || !(at < best || (found && at == best && one.number < nearest.triangle))) continue;
        if (any) return true;
        best = at;
        before = up(best);
        nearest = {one.number, at};
        found = true;
      }
    } else {
      const Slabs slabs = ray.meet(nodes_[child], before);
      std::size_t from = count;
      for (unsigned met = slabs.met; met != 0; met &= met - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctz(met));
        const Waiting one{nodes_[child].child[i], slabs.enter[i]};
        std::size_t at = count++;
        for (; at > from && waiting[at - 1].enter < one.enter; --at) waiting[at] = waiting[at - 1];  // the nearest last
        waiting[at] = one;
      }
    }
    do {
      if (count == 0) return found;
      child = waiting[--count].child;
    } while (waiting[count].enter > before * slack);
  }
  return found;
}

std::optional<RayHit> TriangleTree::hit(const Point& from, const Point& direction, std::uint32_t skip,
                                        double farthest) const {
  RayHit nearest;
  const std::uint32_t plane = skip == no_facet ? no_facet : plane_of(skip);
  if (!search<false>(Ray(from, direction, middle_, farthest), plane, plane, nearest)) return {};
  return nearest;
}

bool TriangleTree::free_between(const Point& a, const Point& b, std::uint32_t skip_first,
                                std::uint32_t skip_second) const {
  Point way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double length = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  if (!(length > 0.0)) return true;
  for (double& w : way) w /= length;
  RayHit nearest;
  return !search<true>(Ray(a, way, middle_, length), skip_first == no_facet ? no_facet : plane_of(skip_first),
                       skip_second == no_facet ? no_facet : plane_of(skip_second), nearest);
}

double TriangleTree::distance(const Point& from, double farthest) const {
  if (root_ == no_child) return farthest;
  const Point at = minus(from, middle_);
  std::vector<std::uint32_t> waiting{root_};
  double best = farthest * farthest;
  while (!waiting.empty()) {
    const std::uint32_t child = waiting.back();
    waiting.pop_back();
    if ((child & leaf_bit) != 0) {
      const std::uint32_t first = child & leaf_first, last = first + ((child & ~leaf_bit) >> leaf_shift);
      for (std::uint32_t i = first; i <= last; ++i) best = std::min(best, square_distance(corners_[i].at, from));
      continue;
    }
    const TreeNode& node = nodes_[child];
    for (std::size_t i = 0; i < 4; ++i) {
      if (node.child[i] == no_child) continue;
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double out = std::max({node.low[d][i] - at[d], at[d] - node.high[d][i], 0.0});
        square += out * out;
      }
      if (square < best) waiting.push_back(node.child[i]);
    }
  }
  return std::sqrt(best);
}

std::size_t TriangleTree::bytes() const {
  return vertices_.size() * sizeof(Point) + triangles_.size() * sizeof(triangles_[0]) +
         (facet_of_triangle_.size() + plane_of_facet_.size()) * sizeof(std::uint32_t) +
         corners_.size() * sizeof(Corners) + nodes_.size() * sizeof(TreeNode);
}

}  // namespace fdtd
