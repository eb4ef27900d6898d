#include "scenes/mesh/tree/box_tree.hpp"

#include <algorithm>
#include <random>

#include "tests/support/catch.hpp"

namespace fdtd {
namespace {

// Does the segment meet the box, by clipping it to each side in turn?
bool segment_meets(const AxisBox& box, const Point& a, const Point& b, double reach) {
  double from = 0.0, to = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double low = box.low[d] - reach - a[d], high = box.high[d] + reach - a[d], way = b[d] - a[d];
    if (way == 0.0 && (low > 0.0 || high < 0.0)) return false;
    if (way == 0.0) continue;
    from = std::max(from, std::min(low / way, high / way));
    to = std::min(to, std::max(low / way, high / way));
  }
  return from <= to;
}

bool boxes_meet(const AxisBox& one, const AxisBox& other, double reach) {
  for (std::size_t d = 0; d < 3; ++d)
    if (one.low[d] - reach > other.high[d] || one.high[d] + reach < other.low[d]) return false;
  return true;
}

}  // namespace

TEST_CASE("a tree of boxes visits those that are met, each once, where they only touch too") {
  // On whole numbers, where segments and boxes end on each other's sides, and off them, far from the origin.
  for (const double far : {0.0, 3e6 + 0.1}) {
    std::mt19937_64 random(5);
    const auto whole = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    std::vector<AxisBox> boxes(700);
    for (AxisBox& box : boxes)
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = far + whole(24) - (far > 0.0 ? 1e-3 * whole(1000) : 0.0);
        box.high[d] = box.low[d] + whole(3);
      }
    const BoxTree tree(boxes);
    std::size_t differ = 0, met = 0;
    for (int i = 0; i < 4000; ++i) {
      AxisBox one;
      Point a{}, b{};
      for (std::size_t d = 0; d < 3; ++d) {
        a[d] = far + whole(26);
        b[d] = i % 3 == 0 && d > 0 ? a[d] : far + whole(26);
        one.low[d] = std::min(a[d], b[d]);
        one.high[d] = i % 2 == 0 ? one.low[d] + 1.0 : one.low[d];
      }
      const double reach = i % 5 == 0 ? 0.5 : 0.0;
      std::vector<std::uint32_t> near, meeting, near_all, meeting_all;
      tree.near(a, b, reach, [&](std::uint32_t n) { return near.push_back(n), true; });
      tree.meeting(one, reach, [&](std::uint32_t n) { return meeting.push_back(n), true; });
      for (std::uint32_t n = 0; n < boxes.size(); ++n) {
        if (segment_meets(boxes[n], a, b, reach)) near_all.push_back(n);
        if (boxes_meet(boxes[n], one, reach)) meeting_all.push_back(n);
      }
      std::sort(near.begin(), near.end());
      std::sort(meeting.begin(), meeting.end());
      if (near != near_all || meeting != meeting_all) ++differ;
      met += near.size();
    }
    CHECK(differ == 0);
    CHECK(met > 1000);
  }
  int visited = 0;
  BoxTree({{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}})
      .near({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, 0.0, [&](std::uint32_t) { return ++visited, false; });
  CHECK(visited == 1);
  BoxTree({}).near({}, {}, 1.0, [&](std::uint32_t) { return ++visited, true; });
  CHECK(visited == 1);
}

}  // namespace fdtd
