// Rows of all axes against rows that are made node by node from dense lines, with their order and for several threads.
#include <omp.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "engine/walls/cut/axis_bounds.hpp"
#include "engine/walls/cut/axis_rows.hpp"
#include "engine/walls/cut/axis_window.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr std::array<int, 3> rows_size = {131, 24, 24};

std::uint64_t rows_node(const std::array<int, 3>& at) {
  return static_cast<std::uint64_t>(at[0] + rows_size[0] * (at[1] + rows_size[1] * at[2]));
}

struct RandomCut {
  AirMask air;
  SecuredCut cut;
  std::map<std::uint64_t, double> mass;
  std::array<std::map<std::uint64_t, double>, 3> area, weight, end;
};

// Mostly whole air with a few things cut, of values that return.
RandomCut random_cut(unsigned seed, const std::array<int, 3>& size) {
  RandomCut room;
  room.air = AirMask::walls(size);
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> percent(0, 99);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (y > 0 && z > 0 && x != 70 && percent(random) > 0) room.air.set(x, y, z, true);
  const auto list = [&](std::vector<NodeFraction>& items, std::map<std::uint64_t, double>& by_node) {
    for (std::uint64_t node = 0; node < static_cast<std::uint64_t>(size[0] * size[1] * size[2]); ++node)
      if (percent(random) == 0) by_node[node] = 0.25 * (1 + percent(random) % 3);
    for (const auto& [node, value] : by_node) items.push_back({node, value});
  };
  list(room.cut.masses, room.mass);
  for (std::size_t d = 0; d < 3; ++d) {
    list(room.cut.passages[d], room.area[d]);
    list(room.cut.weights[d], room.weight[d]);
    list(room.cut.ends[d], room.end[d]);
  }
  return room;
}

AxisWindow dense_window(const RandomCut& room, const std::array<int, 3>& at, std::size_t d, int reach) {
  AxisWindow window(reach);
  const auto value = [](const std::map<std::uint64_t, double>& of, std::uint64_t node, double otherwise) {
    const auto found = of.find(node);
    return found == of.end() ? otherwise : found->second;
  };
  for (int i = -reach; i <= reach; ++i) {
    auto here = at, next = at;
    here[d] += i, next[d] += i + 1;
    const bool air = room.air(here[0], here[1], here[2]), open = air && room.air(next[0], next[1], next[2]);
    const bool inside = here[d] >= 0 && here[d] < rows_size[d];
    const std::uint64_t node = inside ? rows_node(here) : rows_node({0, 0, rows_size[2]});
    window.put(i, air, value(room.area[d], node, open ? 1.0 : 0.0), value(room.weight[d], node, 1.0),
               value(room.end[d], node, 0.0));
  }
  window.put_mass(value(room.mass, rows_node(at), 1.0));
  return window;
}

using Row = std::vector<std::tuple<int, int, int, double>>;

Row as_row(std::span<const RowEntry> entries) {
  Row row;
  for (const RowEntry& one : entries) row.emplace_back(one.offset[0], one.offset[1], one.offset[2], one.weight);
  return row;
}

}  // namespace

TEST_CASE("axis rows: every node has the rows of its lines, numbered as its lines come", "[walls]") {
  const int threads = omp_get_max_threads();
  for (const char* name : {"leggy-1", "leggy-4/taylor", "leggy-8"}) {
    CAPTURE(name);
    const double courant = find_stencil(name)->courant;
    const GridStencil stencil = on_grid(*find_stencil(name), {courant, courant, courant});
    const RandomCut room = random_cut(3, rows_size);
    std::vector<std::vector<Row>> rows(rows_node({0, 0, rows_size[2]}));  // by node, axis by axis
    std::vector<Row> patterns;                                            // in the order of their numbers
    for (std::size_t d = 0; d < 3; ++d) {
      AxisRowMaker maker(d, weights_along(stencil, d), axis_bounds(stencil)[d].bend);
      const std::size_t u = d == 0 ? 1 : 0, v = d == 2 ? 1 : 2;
      std::map<std::vector<std::uint64_t>, int> known;
      std::array<int, 3> at{};
      for (at[v] = 0; at[v] < rows_size[v]; ++at[v])
        for (at[u] = 0; at[u] < rows_size[u]; ++at[u])
          for (at[d] = 0; at[d] < rows_size[d]; ++at[d]) {
            if (!room.air(at[0], at[1], at[2])) continue;
            AxisWindow window = dense_window(room, at, d, stencil.radius);
            if (!window.cut()) continue;
            std::vector<RowEntry> entries;
            maker.append_row(window, entries);
            const auto key = window.make_key();
            if (known.emplace(std::vector(key.begin(), key.end()), 0).second) patterns.push_back(as_row(entries));
            if (!entries.empty()) rows[rows_node(at)].push_back(as_row(entries));
          }
    }
    NearWall more;
    more.entries = {{{1, 0, 0}, 0.5}};
    more.pattern_begin = {0, 1};
    more.segments = {{rows_node({5, 5, 5}), 2, 0}, {rows_node({80, 10, 12}), 1, 0}};
    for (const WallSegment& one : more.segments)
      for (std::uint64_t i = 0; i < one.length; ++i) rows[one.node + i].push_back(as_row(more.entries));
    patterns.push_back(as_row(more.entries));
    for (auto& one : rows) std::ranges::sort(one);
    for (const int some : {1, 4}) {
      omp_set_num_threads(some);
      const NearWall walls = axis_walls(stencil, room.air, room.cut, more);
      omp_set_num_threads(threads);
      std::vector<Row> found;
      for (std::size_t p = 0; p + 1 < walls.pattern_begin.size(); ++p)
        found.push_back(
            as_row(std::span(walls.entries)
                       .subspan(walls.pattern_begin[p], walls.pattern_begin[p + 1] - walls.pattern_begin[p])));
      CHECK((found == patterns));
      std::vector<std::vector<Row>> of_node(rows.size());
      std::int64_t nodes = 0;
      for (const WallSegment& one : walls.segments)
        for (std::uint64_t i = 0; i < one.length; ++i) of_node[one.node + i].push_back(found.at(one.pattern));
      for (const auto& one : of_node) nodes += one.empty() ? 0 : 1;
      for (auto& one : of_node) std::ranges::sort(one);  // segments come by their first nodes
      CHECK((of_node == rows));
      CHECK(walls.node_count == nodes);
      CHECK(std::ranges::is_sorted(walls.segments, [](const WallSegment& a, const WallSegment& b) {
        return std::tie(a.node, a.pattern) < std::tie(b.node, b.pattern);
      }));
    }
  }
}

TEST_CASE("axis rows: those of a large room are the same for any number of threads", "[walls]") {
  const double courant = find_stencil("leggy-4")->courant;
  const GridStencil stencil = on_grid(*find_stencil("leggy-4"), {courant, courant, courant});
  const RandomCut room = random_cut(4, {37, 101, 89});
  const auto same_segment = [](const WallSegment& a, const WallSegment& b) {
    return std::tie(a.node, a.length, a.pattern) == std::tie(b.node, b.length, b.pattern);
  };
  const auto same_entry = [](const RowEntry& a, const RowEntry& b) {
    return std::tie(a.offset, a.weight) == std::tie(b.offset, b.weight);
  };
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const NearWall alone = axis_walls(stencil, room.air, room.cut, {});
  omp_set_num_threads(4);
  const NearWall together = axis_walls(stencil, room.air, room.cut, {});
  omp_set_num_threads(threads);
  CHECK(alone.pattern_begin.size() > 10000);
  CHECK(alone.node_count == together.node_count);
  CHECK((alone.pattern_begin == together.pattern_begin));
  CHECK(std::ranges::equal(alone.entries, together.entries, same_entry));
  CHECK(std::ranges::equal(alone.segments, together.segments, same_segment));
}
