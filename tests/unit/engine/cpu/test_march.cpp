#include "engine/cpu/march.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

TEST_CASE("a single step takes every tile once, with jobs for every thread") {
  for (const std::array<int, 3>& size : {std::array<int, 3>{8, 167, 50}, {8, 3, 9}, {8, 64, 1}, {8, 1, 1}}) {
    const Layout layout(size, 2, 4);
    for (const int threads : {1, 2, 3, 8}) {
      for (const March& march : {March{1, 3, 1}, March{1, 100, 4}}) {
        CAPTURE(size, threads, march.columns, march.layers);
        std::vector<int> taken(layout.tiles.size(), 0);
        const Phase phase = single_step(layout, march, divide(layout, threads, 1));
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

TEST_CASE("threads divide along y, along z where y is short, and by memory nodes first") {
  const Layout wide({64, 512, 512}, 1, 4), thin({64, 8, 512}, 1, 4);
  CHECK(divide(wide, 16, 1).along_y == 16);
  CHECK(divide(wide, 16, 2).along_z % 2 == 0);
  CHECK(divide(thin, 8, 1).along_z >= 4);
  CHECK(divide(thin, 7, 2).along_y * divide(thin, 7, 2).along_z == 7);
}
