#include "engine/cpu/schedule/tile_order.hpp"

#include <numeric>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/tile_sizes.hpp"

using namespace fdtd::cpu;

TEST_CASE("a single step processes every tile once, with jobs for every thread") {
  for (const std::array<int, 3>& size : {std::array<int, 3>{8, 167, 50}, {8, 3, 9}, {8, 64, 1}, {8, 1, 1}}) {
    const Layout layout(size, 2, 4);
    for (const int threads : {1, 2, 3, 8}) {
      for (const TileOrder& order : {TileOrder{1, 3, 1}, TileOrder{1, 100, 4}}) {
        CAPTURE(size, threads, order.columns, order.layers);
        std::vector<int> taken(layout.tiles.size(), 0);
        const Phase phase = single_step(layout, order, divide(layout, threads, 1), tile_sizes(layout));
        CHECK(phase.first.size() == static_cast<std::size_t>(threads) + 1);
        CHECK(phase.first.back() == phase.jobs.size());
        for (const Job& job : phase.jobs)
          for (int layer = job.layer_begin; layer < job.layer_end; ++layer)
            for (int column = job.begin; column < job.end; ++column)
              ++taken[static_cast<std::size_t>(layer * layout.columns + column)];
        CHECK(std::set<int>(taken.begin(), taken.end()) == std::set<int>{1});
      }
    }
  }
}

TEST_CASE("a share a little larger than a block is one block") {
  // 66 columns for 16 threads: four or five each.
  const Layout layout({8, 264, 24}, 8, 4);
  for (const int columns : {4, 5}) {
    const Phase phase = single_step(layout, {1, columns, 1}, {16, 1}, tile_sizes(layout));
    std::set<int> rows;
    for (const Job& job : phase.jobs) rows.insert(job.end - job.begin);
    CHECK(rows == std::set<int>{4, 5});
  }
  // A part much larger than requested is more than one block.
  const Phase phase = single_step(layout, {1, 8, 1}, {6, 1}, tile_sizes(layout));  // of eleven
  for (const Job& job : phase.jobs) CHECK(job.end - job.begin <= 6);
}

TEST_CASE("shares of threads have equal cost, also where walls make tiles expensive") {
  const Layout layout({100, 264, 237}, 4, 4);
  std::vector<double> costs = tile_sizes(layout);
  for (std::size_t tile = 0; tile < costs.size(); ++tile) {
    const Tile& at = layout.tiles[tile];
    if (at.y_begin == 0 || at.z_begin == 0 || at.y_end == 264) costs[tile] *= 3.5;
  }
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  for (const int threads : {3, 16}) {
    for (const Division division : {divide(layout, threads, 1), Division{threads, 1}}) {
      const Phase phase = single_step(layout, {1, 3, 1}, division, costs);
      for (std::size_t t = 0; t + 1 < phase.first.size(); ++t) {
        double cost = 0.0;
        for (std::size_t j = phase.first[t]; j < phase.first[t + 1]; ++j) {
          const Job& job = phase.jobs[j];
          for (int layer = job.layer_begin; layer < job.layer_end; ++layer)
            for (int column = job.begin; column < job.end; ++column)
              cost += costs[layout.first_tile(layer) + static_cast<std::size_t>(column)];
        }
        CAPTURE(threads, division.along_y, division.along_z, t);
        CHECK(cost == Approx(total / threads).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("threads divide along y, along z where y is short, and by NUMA nodes first") {
  const Layout wide({64, 512, 512}, 1, 4), thin({64, 8, 512}, 1, 4);
  CHECK(divide(wide, 16, 1).along_y == 16);
  CHECK(divide(wide, 16, 2).along_z % 2 == 0);
  CHECK(divide(thin, 8, 1).along_z >= 4);
  CHECK(divide(thin, 7, 2).along_y * divide(thin, 7, 2).along_z == 7);
}
