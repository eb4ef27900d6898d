#include "engine/cpu/march.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

namespace {

// Goes through the jobs of a phase in turns, a visit each, so that jobs overlap as threads do.
template <class Visit>
void in_turns(const Layout& layout, const Phase& phase, const March& march, const Visit& visit) {
  struct Piece {
    int step, begin, end, layer_begin, layer_end;
  };
  std::vector<std::vector<Piece>> jobs;
  std::size_t longest = 0;
  for (const Job& job : phase.jobs) {
    jobs.emplace_back();
    go_through(layout, job, march.steps, march.layers, [&](int step, int begin, int end, int from, int to) {
      jobs.back().push_back({step, begin, end, from, to});
    });
    longest = std::max(longest, jobs.back().size());
  }
  for (std::size_t i = 0; i < longest; ++i)
    for (const auto& job : jobs)
      if (i < job.size()) visit(job[i].step, job[i].begin, job[i].end, job[i].layer_begin, job[i].layer_end);
}

}  // namespace

TEST_CASE("every tile gets every step once, when what it reads is there and nobody needs what it overwrites") {
  for (const int radius : {1, 2, 4, 5, 8}) {
    for (const std::array<int, 3>& size : {std::array<int, 3>{8, 167, 50}, {8, 3, 9}, {8, 64, 1}, {8, 1, 1}}) {
      const Layout layout(size, radius, 4);
      for (const int threads : {1, 2, 3, 8}) {
        for (const March& march : {March{1, 3, 1}, March{1, 100, 4}, March{2, 1, 1}, March{3, 9, 1}, March{4, 16, 2}}) {
          CAPTURE(radius, size, threads, march.steps, march.columns, march.layers);
          std::vector<int> steps(layout.tiles.size(), 0);  // that a tile has done
          bool sound = true;
          const auto phases = phases_of(layout, march, divide(layout, threads, 1));
          for (const Phase& phase : phases) {
            CHECK(phase.first.size() == static_cast<std::size_t>(threads) + 1);
            CHECK(phase.first.back() == phase.jobs.size());
            in_turns(layout, phase, march, [&](int step, int begin, int end, int layer_begin, int layer_end) {
              const int reach = layout.reach();
              for (int layer = layer_begin - reach; layer < layer_end + reach; ++layer) {
                for (int column = begin - reach; column < end + reach; ++column) {
                  if (layer < 0 || layer >= layout.layers || column < 0 || column >= layout.columns) continue;
                  const int done = steps[static_cast<std::size_t>(layer * layout.columns + column)];
                  const bool own = layer >= layer_begin && layer < layer_end && column >= begin && column < end;
                  // u^step is there, and no step behind it, which would have overwritten it: two fields hold two steps.
                  sound = sound && (own ? done == step : done == step || done == step + 1);
                }
              }
              for (int layer = layer_begin; layer < layer_end; ++layer)
                for (int column = begin; column < end; ++column)
                  ++steps[static_cast<std::size_t>(layer * layout.columns + column)];
            });
          }
          CHECK(sound);
          CHECK(std::set<int>(steps.begin(), steps.end()) == std::set<int>{march.steps});
        }
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
