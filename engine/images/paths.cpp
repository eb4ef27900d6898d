#include "engine/images/paths.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "base/parallel_failure.hpp"
#include "base/vectors.hpp"

namespace fdtd {
namespace {

using Sequence = std::vector<std::uint32_t>;  // of facets, the source's first
using Sequences = std::vector<Sequence>;

constexpr std::int64_t rays_a_block = 256;
constexpr double smallest_sphere = 0.5;  // m
constexpr double edge = 1e-8;            // m: what is nearer to an edge is on it
constexpr double infinite = std::numeric_limits<double>::infinity();

// Direction `index` of a spherical Fibonacci lattice of `count`.
Point lattice_direction(std::int64_t index, std::int64_t count) {
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double z = 1.0 - (2.0 * static_cast<double>(index) + 1.0) / static_cast<double>(count);
  const double s = std::sqrt(std::max(0.0, 1.0 - z * z)), phi = golden * static_cast<double>(index);
  return {s * std::cos(phi), s * std::sin(phi), z};
}

void make_unique(Sequences& sequences) {
  std::ranges::sort(sequences);
  sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
}

class Search {
 public:
  Search(const FacetRoom& room, const Point& source, std::span<const Point> receivers, int order, std::int64_t rays)
      : room_(room),
        source_(source),
        receivers_(receivers),
        order_(order),
        rays_(rays),
        // n rho^2 / (4 r^2) rays pass a sphere at r.
        spread_(std::sqrt(4.0 * std::log(100.0) / static_cast<double>(rays))) {}

  // A ray from a wall to the next.
  struct Leg {
    Point from{}, direction{};
    double length = 0.0, path = 0.0;  // m; path: up to `from`
    std::uint32_t facet = no_facet;   // that it starts on; of a ray's first leg none
  };

  // Of the rays first..last - 1.
  std::vector<Leg> legs(std::int64_t first, std::int64_t last) const {
    std::vector<Leg> all;
    for (std::int64_t ray = first; ray < last; ++ray) {
      Leg leg{source_, lattice_direction(ray, rays_)};
      for (int reflections = 0;; ++reflections) {
        const auto hit = room_.tree.hit(leg.from, leg.direction, leg.facet, infinite);
        if (!hit) break;  // through a leak
        leg.length = hit->distance;
        all.push_back(leg);
        if (reflections == order_) break;
        leg.facet = room_.facet_of_triangle[hit->triangle];
        leg.path += hit->distance;
        leg.from = along(leg.from, hit->distance, leg.direction);
        const Point& normal = room_.facets[leg.facet].normal;
        leg.direction = unit(along(leg.direction, -2.0 * dot(leg.direction, normal), normal));
      }
    }
    return all;
  }

  // The sequences of the rays of these legs that pass each of the receivers first..last - 1.
  std::vector<Sequences> candidates(const std::vector<Leg>& legs, std::size_t first, std::size_t last) const {
    std::vector<Sequences> found(last - first);
    Sequence sequence;
    for (const Leg& leg : legs) {
      if (leg.facet == no_facet)
        sequence.clear();
      else
        sequence.push_back(leg.facet);
      for (std::size_t r = first; r < last; ++r)
        if (passes(receivers_[r], leg.from, leg.direction, leg.length, leg.path)) found[r - first].push_back(sequence);
    }
    for (Sequences& one : found) make_unique(one);
    return found;
  }

 private:
  bool passes(const Point& receiver, const Point& from, const Point& direction, double length, double path) const {
    const Point towards = minus(receiver, from);
    const double nearest = dot(towards, direction), r = path + nearest;
    const double radius = std::max(smallest_sphere, r * spread_);
    return nearest > -radius && nearest < length + radius &&
           dot(towards, towards) - nearest * nearest < radius * radius;
  }

  const FacetRoom& room_;
  const Point& source_;
  std::span<const Point> receivers_;
  int order_;
  std::int64_t rays_;
  double spread_;
};

Point mirrored(const Point& point, const Facet& facet) {
  return along(point, -2.0 * (dot(facet.normal, point) - facet.offset), facet.normal);
}

// The source, then its images in the planes in turn.
std::vector<Point> images_of(const FacetRoom& room, const Point& source, const Sequence& facets) {
  std::vector<Point> images = {source};
  for (const std::uint32_t facet : facets) images.push_back(mirrored(images.back(), room.facets[facet]));
  return images;
}

bool same_way(const SpecularPath& a, const SpecularPath& b) {
  const auto near = [&](const Point& one, const Point& other) {
    return norm(minus(one, other)) * a.length < 10.0 * edge;
  };
  return a.facets.size() == b.facets.size() && std::abs(a.length - b.length) < 10.0 * edge &&
         near(a.departure, b.departure) && near(a.arrival, b.arrival);
}

// Sorts, and keeps one of the paths that are the same but for the order of two facets at an edge.
void tidy(std::vector<SpecularPath>& paths) {
  std::ranges::sort(paths, [](const SpecularPath& a, const SpecularPath& b) {
    return a.length != b.length ? a.length < b.length : a.facets < b.facets;
  });
  std::vector<SpecularPath> kept;
  for (SpecularPath& path : paths) {
    bool known = false;
    for (auto it = kept.rbegin(); it != kept.rend() && path.length - it->length < 10.0 * edge && !known; ++it)
      known = same_way(*it, path);
    if (!known) kept.push_back(std::move(path));
  }
  paths = std::move(kept);
}

}  // namespace

PathProof::PathProof(const FacetRoom& room) : room_(room), triangles_(room.facets.size()) {
  bounds_.assign(room.facets.size(), {Point{infinite, infinite, infinite}, Point{-infinite, -infinite, -infinite}});
  for (std::uint32_t t = 0; t < room.facet_of_triangle.size(); ++t) {
    const std::uint32_t facet = room.facet_of_triangle[t];
    if (facet == no_facet) continue;
    triangles_[facet].push_back(t);
    for (const std::uint32_t corner : room.tree.triangles()[t])
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = room.tree.vertices()[corner][axis];
        auto& [low, high] = bounds_[facet];
        low[axis] = std::min(low[axis], x);
        high[axis] = std::max(high[axis], x);
      }
  }
}

// Is `point`, in the plane of the facet, on one of its triangles, or as near as an edge is?
bool PathProof::on_facet(std::uint32_t facet, const Point& point) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    constexpr double flat = 1e-3;  // m: the corners of a facet lie so near to its plane
    if (point[axis] < bounds_[facet][0][axis] - flat || point[axis] > bounds_[facet][1][axis] + flat) return false;
  }
  const auto& vertices = room_.tree.vertices();
  for (const std::uint32_t t : triangles_[facet]) {
    const auto& corners = room_.tree.triangles()[t];
    const Point &a = vertices[corners[0]], &b = vertices[corners[1]], &c = vertices[corners[2]];
    const Point normal = unit(cross(minus(b, a), minus(c, a)));
    const auto inside = [&](const Point& from, const Point& to) {  // the distance from an edge, inwards
      return dot(cross(normal, unit(minus(to, from))), minus(point, from)) > -edge;
    };
    if (inside(a, b) && inside(b, c) && inside(c, a)) return true;
  }
  return false;
}

std::optional<SpecularPath> PathProof::operator()(const Point& source, const Point& receiver,
                                                  const std::vector<std::uint32_t>& facets) const {
  Met met;
  return prove(source, receiver, facets, met);
}

std::optional<SpecularPath> PathProof::in_some_order(const Point& source, const Point& receiver,
                                                     std::vector<std::uint32_t> facets) const {
  const Point image = images_of(room_, source, facets).back();
  for (std::size_t attempt = 0; attempt <= facets.size() * facets.size(); ++attempt) {
    Met met;
    if (auto path = prove(source, receiver, facets, met)) return path;
    // The facet that is met, from its last place before the leg to the leg.
    const auto leg = facets.begin() + static_cast<std::ptrdiff_t>(met.leg);
    const auto place = std::find(std::make_reverse_iterator(leg), facets.rend(), met.facet);
    if (met.facet == no_facet || place == facets.rend()) return std::nullopt;
    std::rotate(place.base() - 1, place.base(), leg + 1);
    if (norm(minus(images_of(room_, source, facets).back(), image)) > edge) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<SpecularPath> PathProof::prove(const Point& source, const Point& receiver,
                                             const std::vector<std::uint32_t>& facets, Met& met) const {
  const std::vector<Point> images = images_of(room_, source, facets);
  SpecularPath path;
  path.length = norm(minus(images.back(), receiver));
  path.facets = facets;
  path.cosines.resize(facets.size());
  if (!(path.length > 0.0)) return std::nullopt;
  path.arrival = unit(minus(images.back(), receiver));
  Point at = receiver;
  std::uint32_t skip = no_facet, other = no_facet;  // the facets that `at` lies on
  for (std::size_t k = facets.size(); k > 0; --k) {
    const Facet& due = room_.facets[facets[k - 1]];
    const Point direction = unit(minus(images[k], at));
    const double slope = dot(due.normal, direction), height = due.offset - dot(due.normal, at);
    if (std::abs(slope) < 1e-12) return std::nullopt;
    const double distance = height / slope;
    if (distance < -edge || distance > norm(minus(images[k], at)) + edge) return std::nullopt;
    // From an edge the other facet there would be met at once.
    const double start = other == no_facet ? 0.0 : std::min(10.0 * edge, std::max(0.0, distance));
    const auto hit = room_.tree.hit(along(at, start, direction), direction, skip, norm(minus(images[k], at)) - start);
    const Point next = along(at, distance, direction);
    if (!hit || room_.facet_of_triangle[hit->triangle] != facets[k - 1]) {
      met = {k - 1, hit ? room_.facet_of_triangle[hit->triangle] : no_facet};
      if (hit && hit->distance + start < distance - edge) return std::nullopt;
      if (!on_facet(facets[k - 1], next)) return std::nullopt;
      met = {};
    }
    path.cosines[k - 1] = std::abs(slope);
    other = skip != no_facet && norm(minus(next, at)) <= edge ? skip : no_facet;
    skip = facets[k - 1];
    at = next;
  }
  if (!(norm(minus(source, at)) > 0.0) || !room_.tree.free_between(at, source, skip, other)) return std::nullopt;
  path.departure = unit(minus(at, source));
  return path;
}

namespace {

// The paths of candidates, by receiver; proved by all threads.
void prove_all(const PathProof& proof, const Point& source, std::span<const Point> receivers,
               std::vector<Sequences>& candidates, std::span<std::vector<SpecularPath>> paths) {
  std::vector<std::pair<std::size_t, Sequence>> tasks;  // of a receiver
  for (std::size_t r = 0; r < candidates.size(); ++r) {
    make_unique(candidates[r]);
    for (Sequence& one : candidates[r]) tasks.emplace_back(r, std::move(one));
    candidates[r] = {};
  }
  std::vector<std::optional<SpecularPath>> proved(tasks.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < tasks.size(); ++i)
    failure.guard([&] { proved[i] = proof.in_some_order(source, receivers[tasks[i].first], tasks[i].second); });
  failure.rethrow();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (proved[i]) paths[tasks[i].first].push_back(std::move(*proved[i]));
  for (std::vector<SpecularPath>& one : paths) tidy(one);
}

}  // namespace

std::vector<std::vector<SpecularPath>> specular_paths(const FacetRoom& room, const Point& source,
                                                      std::span<const Point> receivers, int order, std::int64_t rays) {
  const Search search(room, source, receivers, order, rays);
  const PathProof proof(room);
  const auto blocks = static_cast<std::size_t>((rays + rays_a_block - 1) / rays_a_block);
  std::vector<std::vector<Search::Leg>> legs(blocks);  // held where there are several groups
  std::vector<std::vector<SpecularPath>> paths(receivers.size());
  for (std::size_t first = 0; first < receivers.size(); first += receivers_a_group) {
    const std::size_t last = std::min(receivers.size(), first + receivers_a_group);
    std::vector<std::vector<Sequences>> found(blocks);
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t block = 0; block < blocks; ++block)
      failure.guard([&] {
        const auto ray = static_cast<std::int64_t>(block) * rays_a_block;
        if (first == 0) legs[block] = search.legs(ray, std::min(rays, ray + rays_a_block));
        found[block] = search.candidates(legs[block], first, last);
        if (last == receivers.size()) legs[block] = {};
      });
    failure.rethrow();
    std::vector<Sequences> candidates(last - first, Sequences{{}});  // the direct path is always tried
    for (std::vector<Sequences>& block : found)
      for (std::size_t r = 0; r < candidates.size(); ++r) {
        candidates[r].insert(candidates[r].end(), std::make_move_iterator(block[r].begin()),
                             std::make_move_iterator(block[r].end()));
        block[r] = {};
      }
    prove_all(proof, source, receivers.subspan(first, last - first), candidates,
              std::span(paths).subspan(first, last - first));
  }
  return paths;
}

int limit_order(std::vector<std::vector<SpecularPath>>& paths, int order, std::size_t most) {
  for (const std::vector<SpecularPath>& one : paths) {
    const auto too_many = [&] {
      return static_cast<std::size_t>(std::ranges::count_if(
                 one, [&](const SpecularPath& path) { return static_cast<int>(path.facets.size()) <= order; })) > most;
    };
    while (order > 0 && too_many()) --order;
  }
  for (std::vector<SpecularPath>& one : paths)
    std::erase_if(one, [&](const SpecularPath& path) { return static_cast<int>(path.facets.size()) > order; });
  return order;
}

}  // namespace fdtd
