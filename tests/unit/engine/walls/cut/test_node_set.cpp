// Places in a set of nodes are those in its sorted list, whatever threads have added.
#include <omp.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/walls/cut/node_set.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("node set: a node's place is the number of nodes below it", "[walls]") {
  const std::array<int, 3> size = {131, 14, 90};
  const int begin = 3, end = 88;
  const std::uint64_t in_plane = 131 * 14, first = in_plane * 3, last = in_plane * 88;
  std::mt19937 random(5);
  std::uniform_int_distribution<std::uint64_t> any(first, last - 1);
  std::vector<std::uint64_t> added(120000);
  for (std::uint64_t& node : added) node = any(random);
  added[7] = first, added[8] = last - 1;
  const std::set<std::uint64_t> wanted(added.begin(), added.end());
  const std::vector<std::uint64_t> sorted(wanted.begin(), wanted.end());
  const int threads = omp_get_max_threads();
  for (const int some : {1, 4}) {
    omp_set_num_threads(some);
    NodeSet set(size, begin, end);
    each_item(added, [&](std::uint64_t node) { set.add(node); });
    set.number();
    REQUIRE(set.count() == sorted.size());
    CHECK(set.nodes() == sorted);
    std::vector<char> visited(last, 0);
    set.each([&](std::uint64_t node) { visited[node] = 1; });
    bool right = true;
    for (std::uint64_t node = 0; node < in_plane * 90; ++node) {
      const auto below = static_cast<std::size_t>(std::ranges::lower_bound(sorted, node) - sorted.begin());
      right = right && set.place(node) == below;
      if (node < first || node >= last) continue;
      const bool here = wanted.contains(node);
      right = right && set.has(node / 131, node % 131) == here && (visited[node] != 0) == here;
    }
    CHECK(right);
  }
  omp_set_num_threads(threads);
}

TEST_CASE("node set: none of no planes", "[walls]") {
  NodeSet set({5, 4, 3}, 2, 2);
  set.number();
  CHECK(set.count() == 0);
  CHECK(set.nodes().empty());
  CHECK(set.place(17) == 0);
  CHECK(NodeSet().place(17) == 0);
}
