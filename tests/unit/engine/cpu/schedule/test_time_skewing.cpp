#include "engine/cpu/schedule/time_skewing.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/tile_sizes.hpp"

using namespace fdtd::cpu;

namespace {

// Passes of a time skewing by threads of random speeds.
class Runners {
  int blocks() const { return static_cast<int>(skewing_.blocks.size()); }
  auto done() const {
    return [this](int pass, int block) { return done_[static_cast<std::size_t>(pass * blocks() + block)]; };
  }

 public:
  Runners(const TimeSkewing& skewing, int passes, int threads)
      : skewing_(skewing), passes_(passes), next_(static_cast<std::size_t>(threads)) {
    done_.assign(static_cast<std::size_t>(passes * blocks()), 0);
    for (int t = 0; t < threads; ++t) next_[static_cast<std::size_t>(t)] = t;
  }
  // Calls visit(pass, step, column_begin, column_end, layer_begin, layer_end). Returns false on a deadlock.
  template <class Visit>
  bool run(std::mt19937& random, const Visit& visit) {
    const int items = passes_ * blocks();
    while (true) {
      std::vector<std::size_t> ready;
      bool left = false;
      for (std::size_t t = 0; t < next_.size(); ++t) {
        if (next_[t] >= items) continue;
        left = true;
        if (skewing_.may_run(next_[t] / blocks(), next_[t] % blocks(), waves(next_[t]), done())) ready.push_back(t);
      }
      if (!left) return true;
      if (ready.empty()) return false;
      const std::size_t t = ready[favourite_ < ready.size() && random() % 8 > 0 ? favourite_ : random() % ready.size()];
      if (random() % 64 == 0) favourite_ = random() % next_.size();
      const int item = next_[t];
      skewing_.visit_wave(item % blocks(), waves(item),
                          [&](int step, int begin, int end, int layer_begin, int layer_end) {
                            visit(item / blocks(), step, begin, end, layer_begin, layer_end);
                          });
      if (++waves(item) == skewing_.waves) next_[t] += static_cast<int>(next_.size());
    }
  }

 private:
  int& waves(int item) { return done_[static_cast<std::size_t>(item)]; }
  const TimeSkewing& skewing_;
  int passes_;
  std::vector<int> next_, done_;  // item of each thread; waves of each item
  std::size_t favourite_ = 0;
};

// The fraction of time that threads are busy in passes without a barrier, if only tiles take time: their cost.
double busy(const TimeSkewing& skewing, const Layout& layout, int threads, int passes,
            const std::vector<double>& costs) {
  const int blocks = static_cast<int>(skewing.blocks.size());
  std::vector<std::vector<double>> done;  // when, by item and wave
  std::vector<double> free(static_cast<std::size_t>(threads), 0.0);
  double worked = 0.0, end = 0.0;
  for (int item = 0; item < passes * blocks; ++item) {
    const int pass = item / blocks, block = item % blocks;
    double& now = free[static_cast<std::size_t>(item % threads)];
    done.emplace_back();
    for (int wave = 0; wave < skewing.waves; ++wave) {
      // The time when may_run becomes true.
      if (block > 0) now = std::max(now, done[static_cast<std::size_t>(item - 1)][static_cast<std::size_t>(wave)]);
      if (pass > 0) {
        const int behind = skewing.blocks[static_cast<std::size_t>(block)].behind;
        const int waves = std::min(skewing.waves, wave + skewing.steps * skewing.lag + 1);
        now = std::max(
            now, done[static_cast<std::size_t>((pass - 1) * blocks + behind)][static_cast<std::size_t>(waves - 1)]);
      }
      skewing.visit_wave(block, wave, [&](int, int begin, int column_end, int from, int to) {
        for (int layer = from; layer < to; ++layer)
          for (int column = begin; column < column_end; ++column) {
            const double cost = costs[layout.first_tile(layer) + static_cast<std::size_t>(column)];
            now += cost;
            worked += cost;
          }
      });
      done.back().push_back(now);
    }
    end = std::max(end, now);
  }
  return worked / threads / end;
}

}  // namespace

TEST_CASE(
    "for threads of any speed, every tile takes every step once, after its inputs exist and when no tile needs what it "
    "overwrites") {
  std::mt19937 random(3);
  for (const int radius : {1, 2, 4, 5, 8}) {
    for (const std::array<int, 3>& size :
         {std::array<int, 3>{8, 167, 50}, {8, 61, 90}, {8, 3, 9}, {8, 64, 1}, {8, 1, 1}}) {
      const Layout layout(size, radius, 4);
      for (const int threads : {1, 2, 3, 8}) {
        for (const TileOrder& order :
             {TileOrder{2, 1, 1}, TileOrder{3, 9, 1}, TileOrder{4, 16, 2}, TileOrder{8, 2, 1}, TileOrder{2, 5, 3}}) {
          CAPTURE(radius, size, threads, order.steps, order.columns, order.layers);
          constexpr int passes = 3;
          std::vector<int> steps(layout.tiles.size(), 0);  // that a tile has completed
          bool sound = true;
          const TimeSkewing skewing = time_skewing_of(layout, order, threads, 1, tile_sizes(layout));
          const bool finished =
              Runners(skewing, passes, threads)
                  .run(random, [&](int pass, int in_pass, int begin, int end, int layer_begin, int layer_end) {
                    const int reach = layout.reach(), step = pass * order.steps + in_pass;
                    for (int layer = layer_begin - reach; layer < layer_end + reach; ++layer) {
                      for (int column = begin - reach; column < end + reach; ++column) {
                        if (layer < 0 || layer >= layout.layers || column < 0 || column >= layout.columns) continue;
                        const int done = steps[static_cast<std::size_t>(layer * layout.columns + column)];
                        const bool own = layer >= layer_begin && layer < layer_end && column >= begin && column < end;
                        // u^step exists, and no later step has overwritten it: two fields hold two steps.
                        sound = sound && (own ? done == step : done == step || done == step + 1);
                      }
                    }
                    for (int layer = layer_begin; layer < layer_end; ++layer)
                      for (int column = begin; column < end; ++column)
                        ++steps[static_cast<std::size_t>(layer * layout.columns + column)];
                  });
          CHECK(finished);
          CHECK(sound);
          CHECK(std::set<int>(steps.begin(), steps.end()) == std::set<int>{passes * order.steps});
        }
      }
    }
  }
}

TEST_CASE("blocks share the work of a pass evenly, although they are skewed") {
  const Layout layout({64, 512, 64}, 1, 4);
  for (const int steps : {2, 4, 8}) {
    const TimeSkewing skewing = time_skewing_of(layout, {steps, 8, 1}, 16, 1, tile_sizes(layout));
    REQUIRE(skewing.blocks.size() == 16);
    for (int block = 0; block < 16; ++block) {
      int tiles = 0;
      for (int wave = 0; wave < skewing.waves; ++wave)
        skewing.visit_wave(block, wave,
                           [&](int, int begin, int end, int from, int to) { tiles += (end - begin) * (to - from); });
      CHECK(tiles == Approx(layout.columns * layout.layers * steps / 16).epsilon(0.07));
    }
  }
}

TEST_CASE("threads are kept busy whatever the number of rows") {
  struct Case {
    int rows, threads, columns;  // as requested
    double least;
  };
  for (const Case& one : {Case{512, 16, 8, 0.95}, Case{264, 16, 4, 0.95}, Case{264, 16, 2, 0.93}, Case{300, 8, 4, 0.95},
                          Case{208, 2, 4, 0.98}, Case{500, 32, 2, 0.93}}) {
    const Layout layout({64, one.rows, 240}, 1, 4);
    std::vector<double> costs = tile_sizes(layout);
    for (const bool walls : {false, true}) {
      if (walls)
        for (int layer = 0; layer < layout.layers; ++layer) costs[layout.first_tile(layer)] *= 1.4;
      const TimeSkewing skewing = time_skewing_of(layout, {3, one.columns, 1}, one.threads, 1, costs);
      CAPTURE(one.rows, one.threads, one.columns, walls, skewing.blocks.size());
      CHECK(busy(skewing, layout, one.threads, max_passes(one.threads), costs) > one.least - (walls ? 0.07 : 0.0));
    }
  }
}

TEST_CASE("with several NUMA nodes every pass gives threads the same blocks") {
  const Layout layout({64, 264, 240}, 1, 4);
  for (const int columns : {2, 4})
    CHECK(time_skewing_of(layout, {3, columns, 1}, 16, 2, tile_sizes(layout)).blocks.size() % 16 == 0);
}
