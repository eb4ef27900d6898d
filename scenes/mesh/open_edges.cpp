#include "scenes/mesh/open_edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel_failure.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Point& a) { return std::sqrt(dot(a, a)); }

// An edge of a facet: its two vertices, the lower first, and the facet with the direction in which it runs.
struct Side {
  std::uint64_t ends = 0;
  std::uint32_t run = 0;  // 2 triangle + 1 from the lower vertex to the higher, 2 triangle backwards

  std::uint32_t low() const { return static_cast<std::uint32_t>(ends >> 32); }
  std::uint32_t high() const { return static_cast<std::uint32_t>(ends); }
  std::uint32_t triangle() const { return run / 2; }
  bool rises() const { return run % 2 == 1; }
  bool operator<(const Side& other) const { return ends != other.ends ? ends < other.ends : run < other.run; }
};

Side side(std::uint32_t from, std::uint32_t to, std::uint32_t triangle) {
  const bool rises = from < to;
  const std::uint64_t low = rises ? from : to, high = rises ? to : from;
  return {low << 32 | high, 2 * triangle + (rises ? 1U : 0U)};
}

class Survey {
 public:
  Survey(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for, const std::vector<bool>& counts,
         double tolerance)
      : mesh_(mesh), tolerance_(tolerance) {
    corners_.reserve(mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      std::array<std::uint32_t, 3> welded{stands_for[a], stands_for[b], stands_for[c]};
      const bool collapsed = welded[0] == welded[1] || welded[1] == welded[2] || welded[2] == welded[0];
      if (collapsed || !counts[t]) welded.fill(no_facet);
      corners_.push_back(welded);
    }
  }

  EdgeSurvey result() {
    std::vector<Side> open = count_sides();
    open = unmatched(divided(std::move(open)));
    leave_covered(open);
    for (const Side& one : open)
      survey_.open.push_back(one.rises() ? OpenEdge{one.low(), one.high(), one.triangle()}
                                         : OpenEdge{one.high(), one.low(), one.triangle()});
    return std::move(survey_);
  }

 private:
  static constexpr std::uint32_t no_facet = std::numeric_limits<std::uint32_t>::max();

  const Point& at(std::uint32_t vertex) const { return mesh_.vertices[vertex]; }

  std::vector<Side> count_sides() {
    sides_.reserve(3 * corners_.size());
    for (std::uint32_t t = 0; t < corners_.size(); ++t) {
      if (corners_[t][0] == no_facet) continue;
      for (std::size_t i = 0; i < 3; ++i) sides_.push_back(side(corners_[t][i], corners_[t][(i + 1) % 3], t));
    }
    std::sort(sides_.begin(), sides_.end());
    std::vector<Side> open;
    for (std::size_t i = 0; i < sides_.size();) {
      std::size_t end = i + 1;
      while (end < sides_.size() && sides_[end].ends == sides_[i].ends) ++end;
      if (end - i == 1) open.push_back(sides_[i]);
      if (end - i == 2 && sides_[i].rises() == sides_[i + 1].rises())
        survey_.flipped.push_back({sides_[i].low(), sides_[i].high()});
      i = end;
    }
    return open;
  }

  // Cuts open edges at the ends of others that lie on them. A piece may need another cut: it follows the vertices.
  std::vector<Side> divided(std::vector<Side> open) const {
    std::vector<std::uint32_t> ends;
    for (const Side& one : open) ends.insert(ends.end(), {one.low(), one.high()});
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<AxisBox> boxes;
    for (const std::uint32_t v : ends) boxes.push_back({at(v), at(v)});
    const BoxTree tree(std::move(boxes));
    constexpr int passes = 6;
    constexpr std::size_t max_cuts = 4096;  // of one edge
    const std::size_t max_pieces = 8 * open.size() + 100'000;
    std::vector<Side> pieces;
    for (int pass = 0; pass < passes; ++pass) {
      pieces.clear();
      std::vector<std::pair<double, std::uint32_t>> cuts;
      for (const Side& one : open) {
        const Point &a = at(one.low()), way = minus(at(one.high()), a);
        const double squared = dot(way, way);
        cuts.clear();
        tree.near(a, at(one.high()), tolerance_, [&](std::uint32_t item) {
          const std::uint32_t v = ends[item];
          if (v == one.low() || v == one.high()) return true;
          const double t = dot(minus(at(v), a), way) / squared;
          if (!(t > 0.0 && t < 1.0)) return true;
          Point off = minus(at(v), a);
          for (std::size_t d = 0; d < 3; ++d) off[d] -= t * way[d];
          if (length(off) <= tolerance_) cuts.emplace_back(t, v);
          return cuts.size() < max_cuts;
        });
        std::sort(cuts.begin(), cuts.end());
        std::uint32_t before = one.low();
        const auto add = [&](std::uint32_t v) {
          pieces.push_back(one.rises() ? side(before, v, one.triangle()) : side(v, before, one.triangle()));
          before = v;
        };
        for (const auto& [t, v] : cuts) add(v);
        add(one.high());
      }
      const bool done = pieces.size() == open.size();
      if (!done && pieces.size() > max_pieces) return open;  // no mesh of a room: what is open is shown undivided
      open.swap(pieces);
      if (done) break;
    }
    return open;
  }

  static std::vector<Side> unmatched(std::vector<Side> open) {
    std::sort(open.begin(), open.end());
    std::vector<Side> alone;
    for (std::size_t i = 0; i < open.size();) {
      std::size_t end = i + 1;
      while (end < open.size() && open[end].ends == open[i].ends) ++end;
      if (end - i == 1) alone.push_back(open[i]);
      i = end;
    }
    return alone;
  }

  bool is_sliver(std::uint32_t triangle) const {
    const auto& [a, b, c] = corners_[triangle];
    const Point u = minus(at(b), at(a)), v = minus(at(c), at(b)), w = minus(at(a), at(c));
    return length(cross(u, v)) <= 2.0 * tolerance_ * std::max({length(u), length(v), length(w)});
  }

  // The facet of an open edge, and if it is a sliver those beyond, up to the first that are none.
  std::vector<std::uint32_t> owners(std::uint32_t triangle) const {
    constexpr std::size_t most = 64;
    std::vector<std::uint32_t> own{triangle};
    for (std::size_t i = 0; i < own.size() && own.size() < most; ++i) {
      if (!is_sliver(own[i])) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint64_t ends = side(corners_[own[i]][k], corners_[own[i]][(k + 1) % 3], 0).ends;
        for (auto it = std::lower_bound(sides_.begin(), sides_.end(), Side{ends, 0});
             it != sides_.end() && it->ends == ends && own.size() < most; ++it)
          if (std::find(own.begin(), own.end(), it->triangle()) == own.end()) own.push_back(it->triangle());
      }
    }
    return own;
  }

  // The part of the segment p + t way, 0 <= t <= 1, that lies within the tolerance of the facet's plane, and within
  // `around` of its outline there; empty if first > second.
  std::pair<double, double> part_on(std::uint32_t triangle, const Point& p, const Point& way, double around) const {
    std::pair<double, double> part{0.0, 1.0};
    const auto keep = [&](double value, double slope) {  // value + slope t >= 0
      if (slope > 0.0)
        part.first = std::max(part.first, -value / slope);
      else if (slope < 0.0)
        part.second = std::min(part.second, -value / slope);
      else if (value < 0.0)
        part = {1.0, 0.0};
    };
    std::array<Point, 3> q;
    for (std::size_t i = 0; i < 3; ++i) q[i] = at(corners_[triangle][i]);
    const Point normal = cross(minus(q[1], q[0]), minus(q[2], q[0]));
    const double size = length(normal), height = dot(minus(p, q[0]), normal), climb = dot(way, normal);
    keep(tolerance_ * size + height, climb);
    keep(tolerance_ * size - height, -climb);
    double first = std::numeric_limits<double>::infinity(), last = -first;  // along the segment, m
    const double metres = length(way);
    for (std::size_t i = 0; i < 3; ++i) {
      const Point inward = cross(normal, minus(q[(i + 1) % 3], q[i]));
      keep(dot(minus(p, q[i]), inward) + around * length(inward), dot(way, inward));
      const double along = dot(minus(q[i], p), way) / metres;
      first = std::min(first, along);
      last = std::max(last, along);
    }
    // Corners are rounded: without this an acute one would reach far beyond itself.
    keep(around - first, metres);
    keep(around + last, -metres);
    return part;
  }

  // Where two of the parts, sorted, overlap.
  static std::vector<std::pair<double, double>> doubled(const std::vector<std::pair<double, double>>& parts) {
    std::vector<std::pair<double, double>> twice;
    double reached = 0.0;
    for (const auto& [first, last] : parts) {
      if (first < reached) twice.emplace_back(first, std::min(last, reached));
      reached = std::max(reached, last);
    }
    return twice;
  }

  bool is_covered(const Side& edge, const BoxTree& tree, const std::vector<std::uint32_t>& facets) const {
    const Point &p = at(edge.low()), way = minus(at(edge.high()), p);
    const double metres = length(way);
    const std::vector<std::uint32_t> own = owners(edge.triangle());
    // A sliver between two facets or more joins them; its open edges are closed where two of all facets meet.
    const bool joins =
        is_sliver(edge.triangle()) && std::ranges::count_if(own, [&](std::uint32_t t) { return !is_sliver(t); }) > 1;
    std::vector<std::pair<double, double>> parts;
    std::size_t visited = 0;
    constexpr std::size_t max_visited = 20'000;
    tree.near(p, at(edge.high()), tolerance_, [&](std::uint32_t item) {
      const std::uint32_t triangle = facets[item];
      if (is_sliver(triangle)) return true;
      if (!joins && std::find(own.begin(), own.end(), triangle) != own.end()) return true;
      // A facet that meets the edge at its end, beside the facet of the edge, must not reach along it.
      const auto& c = corners_[triangle];
      const bool touches =
          std::any_of(c.begin(), c.end(), [&](std::uint32_t v) { return v == edge.low() || v == edge.high(); });
      const auto part = part_on(triangle, p, way, touches ? std::min(tolerance_, 0.02 * metres) : tolerance_);
      if (part.first < part.second) parts.push_back(part);
      return ++visited < max_visited;
    });
    std::sort(parts.begin(), parts.end());
    if (joins) parts = doubled(parts);
    double reached = 0.0, bare = 0.0;
    for (const auto& [first, last] : parts) {
      bare += std::max(0.0, first - reached);
      reached = std::max(reached, last);
    }
    bare += std::max(0.0, 1.0 - reached);
    return bare * metres <= std::min(2.0 * tolerance_, 0.1 * metres);
  }

  void leave_covered(std::vector<Side>& open) const {
    if (open.empty()) return;
    std::vector<std::uint32_t> facets;
    std::vector<AxisBox> boxes;
    for (std::uint32_t t = 0; t < corners_.size(); ++t) {
      if (corners_[t][0] == no_facet) continue;
      AxisBox box{at(corners_[t][0]), at(corners_[t][0])};
      for (const std::uint32_t v : corners_[t]) {
        for (std::size_t d = 0; d < 3; ++d) {
          box.low[d] = std::min(box.low[d], at(v)[d]);
          box.high[d] = std::max(box.high[d], at(v)[d]);
        }
      }
      facets.push_back(t);
      boxes.push_back(box);
    }
    const BoxTree tree(std::move(boxes));
    std::vector<char> covered(open.size());
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t i = 0; i < open.size(); ++i)
      failure.guard([&] { covered[i] = is_covered(open[i], tree, facets) ? 1 : 0; });
    failure.rethrow();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (covered[i] == 0) open[kept++] = open[i];
    open.resize(kept);
  }

  const Mesh& mesh_;
  double tolerance_;
  std::vector<std::array<std::uint32_t, 3>> corners_;  // of each triangle, welded; no_facet: it does not count
  std::vector<Side> sides_;
  EdgeSurvey survey_;
};

}  // namespace

EdgeSurvey survey_edges(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for, const std::vector<bool>& counts,
                        double tolerance) {
  return Survey(mesh, stands_for, counts, tolerance).result();
}

}  // namespace fdtd
