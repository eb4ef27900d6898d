#include "scenes/mesh/seal/gap_strips.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "base/parallel_failure.hpp"
#include "base/vectors.hpp"
#include "scenes/mesh/seal/across_gap.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {
namespace {

// Shares of the width: steps from the ends of an interval, the shortest part of a strip, and of one that ends.
constexpr double step_share = 1e-4, shortest_share = 1e-3, ending_share = 1e-7;
constexpr std::size_t most_breaks = 256;  // of an edge

class EdgeStrips {
 public:
  EdgeStrips(const Mesh& mesh, const GapEdge& edge, const BoxTree& tree, double width, double tolerance)
      : edge_(edge), across_(mesh, edge, tree, width, tolerance), width_(width), tolerance_(tolerance) {}

  std::vector<GapPiece> pieces() {
    if (across_.none()) return {};
    const std::vector<AcrossGaps::Break> breaks = across_.breaks(shortest_share * width_, most_breaks);
    Found before;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
      const double begin = breaks[i].at, end = breaks[i + 1].at,
                   step = std::min(step_share * width_, (end - begin) / 8.0);
      across_.enter(begin, end);
      const Found left = breaks[i].uniform ? before : at_end(begin, step), right = at_end(end, -step);
      if (!breaks[i].uniform) last_.reset();
      if (before && left && norm(minus(before->to, left->to)) > tolerance_)
        add({{{point(begin), before->to, left->to}}}, {*before, *left}, 0.0);
      divide(begin, left, end, right);
      before = right;
    }
    return std::move(pieces_);
  }

 private:
  using Found = std::optional<AcrossGap>;
  struct Strip {
    double begin, end;  // m
    AcrossGap left, right;
  };

  Point point(double metres) const { return along(edge_.from, metres, edge_.along); }

  // At an end of an interval, where surfaces may begin: what two places beside it lead to.
  Found at_end(double end, double step) const {
    Found near = across_.at(end + step);
    if (!near) return near;
    const Found far = across_.at(end + 2.0 * step);
    const Point change = far ? minus(near->to, far->to) : Point{};
    if (far && norm(change) <= 4.0 * std::abs(step))
      near->to = plus(near->to, change);
    else
      near->to = along(near->to, -step, edge_.along);
    near->width = std::min(near->width, norm(minus(near->to, point(end))));
    if (near->width <= tolerance_) near->to = point(end);
    return near;
  }

  void divide(double begin, const Found& left, double end, const Found& right) {
    const double middle = 0.5 * (begin + end);
    const Found between = across_.at(middle);
    const int found = (left ? 1 : 0) + (between ? 1 : 0) + (right ? 1 : 0);
    if (found == 0) return;
    if (found == 3) {
      const Point bend = minus(between->to, scaled(0.5, plus(left->to, right->to)));
      if (norm(bend) <= std::max(tolerance_, 1e-4 * between->width) || end - begin <= shortest_share * width_)
        return strip(begin, *left, end, *right);
    } else if (end - begin <= ending_share * width_) {
      return;
    }
    divide(begin, left, middle, between);
    divide(middle, between, end, right);
  }

  void strip(double begin, const AcrossGap& left, double end, const AcrossGap& right) {
    if (left.width <= tolerance_ && right.width <= tolerance_) {  // they touch
      last_.reset();
      return;
    }
    Strip one = {begin, end, left, right};
    if (last_ && last_->end == begin && in_one_plane(*last_, one)) {
      one.begin = last_->begin;
      one.left = last_->left;
      pieces_.pop_back();
    }
    const Point a = point(one.begin), b = point(end);
    std::vector<std::array<Point, 3>> triangles;
    if (right.width > tolerance_) triangles.push_back({a, b, right.to});
    if (one.left.width > tolerance_) triangles.push_back({a, right.to, one.left.to});
    const std::size_t before = pieces_.size();
    add(std::move(triangles), {one.left, right}, end - one.begin);
    last_.reset();
    if (pieces_.size() > before) last_ = one;
  }

  bool in_one_plane(const Strip& one, const Strip& next) const {
    const double share = (one.end - one.begin) / (next.end - one.begin);
    const Point straight = along(one.left.to, share, minus(next.right.to, one.left.to));
    return norm(minus(straight, one.right.to)) <= std::max(tolerance_, 1e-4 * one.right.width) &&
           norm(minus(one.right.to, next.left.to)) <= tolerance_;
  }

  void add(std::vector<std::array<Point, 3>> triangles, const std::array<AcrossGap, 2>& ends, double length) {
    std::erase_if(triangles, [](const auto& t) {
      const double longest = std::max(norm(minus(t[1], t[0])), norm(minus(t[2], t[0])));
      return !(norm(cross(minus(t[1], t[0]), minus(t[2], t[0]))) > 1e-12 * longest * longest);
    });
    if (triangles.empty()) return;
    GapPiece& piece = pieces_.emplace_back();
    piece.triangles = std::move(triangles);
    piece.width = std::max(ends[0].width, ends[1].width);
    piece.length = length;
    piece.facets = edge_.facets;
    for (const AcrossGap& one : ends) piece.facets.push_back(one.facet);
    std::sort(piece.facets.begin(), piece.facets.end());
    piece.facets.erase(std::unique(piece.facets.begin(), piece.facets.end()), piece.facets.end());
  }

  const GapEdge& edge_;
  AcrossGaps across_;
  double width_, tolerance_;
  std::vector<GapPiece> pieces_;
  std::optional<Strip> last_;  // the last piece, which the next may continue
};

BoxTree tree_of(const Mesh& mesh) {
  std::vector<AxisBox> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles)
    boxes.push_back(box_of_triangle({mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]}));
  return BoxTree(boxes);
}

// Leaves out the pieces that lie on earlier ones.
std::vector<GapPiece> once(std::vector<GapPiece> pieces, double tolerance) {
  std::vector<AxisBox> boxes;
  std::vector<std::pair<std::size_t, std::size_t>> triangle;  // its piece, and its number there
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t t = 0; t < pieces[p].triangles.size(); ++t) {
      boxes.push_back(box_of_triangle(pieces[p].triangles[t]));
      triangle.emplace_back(p, t);
    }
  const BoxTree tree(boxes);
  std::vector<bool> kept(pieces.size(), true);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const double reach = std::max(tolerance, 1e-4 * pieces[p].width);
    const auto covered = [&](const Point& at) {
      bool on = false;
      tree.meeting({at, at}, reach, [&](std::uint32_t item) {
        const auto& [piece, t] = triangle[item];
        on = piece < p && kept[piece] && distance_to_triangle(at, pieces[piece].triangles[t]) <= reach;
        return !on;
      });
      return on;
    };
    kept[p] = !std::ranges::all_of(pieces[p].triangles, [&](const auto& t) {
      const Point middle = scaled(1.0 / 3.0, plus(plus(t[0], t[1]), t[2]));
      return covered(middle) && std::ranges::all_of(t, [&](const Point& corner) {
               return covered(plus(scaled(0.1, middle), scaled(0.9, corner)));
             });
    });
  }
  std::size_t count = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (kept[p]) {
      if (count != p) pieces[count] = std::move(pieces[p]);
      ++count;
    }
  pieces.resize(count);
  return pieces;
}

}  // namespace

std::vector<GapPiece> gap_strips(const Mesh& mesh, const std::vector<GapEdge>& edges, double width, double tolerance,
                                 std::size_t most) {
  const BoxTree tree = tree_of(mesh);
  constexpr std::size_t batch = 4096;  // edges
  std::vector<GapPiece> all;
  for (std::size_t first = 0; first < edges.size() && all.size() <= most; first += batch) {
    const std::size_t count = std::min(batch, edges.size() - first);
    std::vector<std::vector<GapPiece>> found(count);
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t i = 0; i < count; ++i)
      failure.guard([&] {
        const GapEdge& edge = edges[first + i];
        found[i] = EdgeStrips(mesh, edge, tree, std::min(width, edge.reach), tolerance).pieces();
      });
    failure.rethrow();
    for (std::vector<GapPiece>& pieces : found)
      for (GapPiece& piece : pieces) all.push_back(std::move(piece));
  }
  return once(std::move(all), tolerance);
}

}  // namespace fdtd
