#include "scenes/mesh/seal/across_gap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/vectors.hpp"
#include "scenes/mesh/seal/point_on_triangle.hpp"

namespace fdtd {
namespace {

constexpr double degree = std::numbers::pi / 180.0;
constexpr double ahead = 65.0 * degree;  // on both sides of the middle
constexpr double more = 6.0 * degree;    // beyond normals of facets: parallel surfaces of a model are not quite
constexpr double cone = 1.2;             // tan 50 degrees

struct Flat {
  double x = 0.0, y = 0.0;
};

double size(const Flat& p) { return std::hypot(p.x, p.y); }

// The segment's part where side >= 0 at its ends, of p + t (q - p); false: none.
bool clip(Flat& p, Flat& q, double of_p, double of_q) {
  if (of_p < 0.0 && of_q < 0.0) return false;
  if (of_p >= 0.0 && of_q >= 0.0) return true;
  const double t = of_p / (of_p - of_q);
  const Flat at = {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
  (of_p < 0.0 ? p : q) = at;
  return true;
}

Flat nearest_to_origin(const Flat& p, const Flat& q) {
  const double x = q.x - p.x, y = q.y - p.y, squared = x * x + y * y;
  const double t = squared > 0.0 ? std::clamp(-(p.x * x + p.y * y) / squared, 0.0, 1.0) : 0.0;
  return {p.x + t * x, p.y + t * y};
}

Flat left_normal(double angle) { return {-std::sin(angle), std::cos(angle)}; }
Flat right_normal(double angle) { return {std::sin(angle), -std::cos(angle)}; }

// Is a triangle outside of a sector of less than half a turn, on one side of it?
bool behind(const std::array<Point, 3>& corners, double first, double last) {
  if (last - first >= std::numbers::pi) return false;
  return std::ranges::any_of(std::array{left_normal(first), right_normal(last)}, [&](const Flat& side) {
    return std::ranges::all_of(corners, [&](const Point& p) { return side.x * p[0] + side.y * p[1] < 0.0; });
  });
}

}  // namespace

AcrossGaps::AcrossGaps(const Mesh& mesh, const GapEdge& edge, const BoxTree& tree, double width, double tolerance)
    : edge_(edge), width_(width), tolerance_(tolerance) {
  const double first = edge.first - more, last = edge.last + more, middle = 0.5 * (first + last);
  ahead_ = {std::max(first, middle - ahead), std::min(last, middle + ahead)};
  if (first < ahead_.first) beside_.push_back({first, ahead_.first});
  if (last > ahead_.last) beside_.push_back({ahead_.last, last});
  const Point to = along(edge.from, edge.length, edge.along);
  AxisBox box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = std::min(edge.from[d], to[d]);
    box.high[d] = std::max(edge.from[d], to[d]);
  }
  const double reach = width * std::hypot(1.0, cone);
  std::vector<std::uint32_t> facets;
  tree.meeting(box, reach, [&](std::uint32_t facet) {
    if (!std::ranges::binary_search(edge.facets, facet)) facets.push_back(facet);
    return true;
  });
  std::sort(facets.begin(), facets.end());
  for (const std::uint32_t facet : facets) {
    Near one{};
    one.facet = facet;
    Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::size_t i = 0; i < 3; ++i) {
      const Point p = minus(mesh.vertices[mesh.triangles[facet][i]], edge.from);
      one.corners[i] = {dot(p, edge.x), dot(p, edge.y), dot(p, edge.along)};
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], one.corners[i][d]);
        high[d] = std::max(high[d], one.corners[i][d]);
      }
    }
    if (low[0] > reach || high[0] < -reach || low[1] > reach || high[1] < -reach) continue;
    if (low[2] > edge.length + reach || high[2] < -reach) continue;
    if (behind(one.corners, first, last)) continue;
    one.first = low[2];
    one.last = high[2];
    near_.push_back(one);
  }
}

std::optional<double> AcrossGaps::Near::crossing() const {
  const Point normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
  if (!(std::abs(normal[2]) > 1e-6 * norm(normal))) return std::nullopt;
  return dot(normal, corners[0]) / normal[2];
}

std::vector<AcrossGaps::Break> AcrossGaps::breaks(double spacing, std::size_t most) const {
  std::vector<double> places;
  const auto add = [&](double at) {
    if (at >= spacing && at <= edge_.length - spacing) places.push_back(at);
  };
  for (const Near& one : near_) {
    for (const Point& corner : one.corners)
      if (std::hypot(corner[0], corner[1]) <= 1.5 * width_) add(corner[2]);
    if (const auto at = one.crossing(); at && distance_to_triangle({0.0, 0.0, *at}, one.corners) <= width_) add(*at);
  }
  std::sort(places.begin(), places.end());
  if (places.size() > most) {  // surfaces are as fine as they are many
    for (std::size_t i = 0; i < most; ++i) places[i] = places[i * places.size() / most];
    places.resize(most);
  }
  places.push_back(edge_.length);
  const double longest = std::max(4.0 * width_, 4.0 * edge_.length / static_cast<double>(most));
  std::vector<Break> breaks{{0.0, false}};
  for (const double at : places) {
    const double begin = breaks.back().at;
    if (at - begin < spacing) continue;
    const double parts = std::ceil((at - begin) / longest);
    for (double i = 1.0; i < parts; ++i) breaks.push_back({begin + (at - begin) * i / parts, true});
    breaks.push_back({at, false});
  }
  return breaks;
}

void AcrossGaps::enter(double begin, double end) {
  const double reach = cone * width_;
  here_.clear();
  for (std::uint32_t i = 0; i < near_.size(); ++i)
    if (near_[i].first <= end + reach && near_[i].last >= begin - reach) here_.push_back(i);
}

Point AcrossGaps::placed(const Point& in_frame) const {
  return along(along(along(edge_.from, in_frame[0], edge_.x), in_frame[1], edge_.y), in_frame[2], edge_.along);
}

void AcrossGaps::nearest_in(const Sector& sector, double metres, std::optional<AcrossGap>& found) const {
  const Flat left = left_normal(sector.first), right = right_normal(sector.last);
  double least = width_;
  for (const std::uint32_t i : here_) {
    const Near& one = near_[i];
    if (one.first > metres || one.last < metres) continue;
    std::array<Flat, 2> ends;
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3 && count < 2; ++k) {
      const Point &a = one.corners[k], &b = one.corners[(k + 1) % 3];
      const double of_a = a[2] - metres, of_b = b[2] - metres;
      if ((of_a < 0.0) == (of_b < 0.0)) continue;
      const double t = of_a / (of_a - of_b);
      ends[count++] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
    }
    if (count < 2) continue;
    auto& [p, q] = ends;
    if (!clip(p, q, left.x * p.x + left.y * p.y, left.x * q.x + left.y * q.y)) continue;
    if (!clip(p, q, right.x * p.x + right.y * p.y, right.x * q.x + right.y * q.y)) continue;
    const Flat nearest = nearest_to_origin(p, q);
    const double away = size(nearest);
    if (!(away < least * (1.0 - 1e-9))) continue;  // of surfaces in one place the first
    least = away;
    found = AcrossGap{placed({nearest.x, nearest.y, metres}), away, one.facet};
  }
}

void AcrossGaps::corner_near(double metres, std::optional<AcrossGap>& found) const {
  double least = 1e300;
  for (const std::uint32_t i : here_)
    for (const Point& corner : near_[i].corners) {
      const double across = std::hypot(corner[0], corner[1]), aside = std::abs(corner[2] - metres);
      if (!(across > tolerance_ && across < width_ * (1.0 - 1e-9) && aside <= cone * across)) continue;
      double angle = std::atan2(corner[1], corner[0]);
      if (angle < 0.0) angle += 2.0 * std::numbers::pi;
      if (angle < edge_.first - more || angle > edge_.last + more) continue;
      const double away = std::hypot(across, aside);
      if (!(away < least * (1.0 - 1e-9))) continue;
      least = away;
      found = AcrossGap{placed(corner), across, near_[i].facet};
    }
}

std::optional<AcrossGap> AcrossGaps::at(double metres) const {
  std::optional<AcrossGap> found, aside;
  nearest_in(ahead_, metres, found);
  for (const Sector& one : beside_) {
    std::optional<AcrossGap> there;
    nearest_in(one, metres, there);
    if (there && (!aside || there->width < aside->width)) aside = there;
  }
  if (!found || (aside && aside->width <= tolerance_)) found = aside;
  if (!found) corner_near(metres, found);
  if (found && found->width <= tolerance_) found = AcrossGap{placed({0.0, 0.0, metres}), 0.0, found->facet};
  return found;
}

}  // namespace fdtd
