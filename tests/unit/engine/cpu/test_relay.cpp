#include "engine/cpu/relay.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

namespace {

// Passes of a relay by threads that are as fast or slow as chance has it.
class Runners {
  int blocks() const { return static_cast<int>(relay_.blocks.size()); }
  auto done() const {
    return [this](int pass, int block) { return done_[static_cast<std::size_t>(pass * blocks() + block)]; };
  }

 public:
  Runners(const Relay& relay, int passes, int threads)
      : relay_(relay), passes_(passes), next_(static_cast<std::size_t>(threads)) {
    done_.assign(static_cast<std::size_t>(passes * blocks()), 0);
    for (int t = 0; t < threads; ++t) next_[static_cast<std::size_t>(t)] = t;
  }
  // Calls visit(pass, step, column_begin, column_end, layer_begin, layer_end). False where all wait for each other.
  template <class Visit>
  bool run(std::mt19937& random, const Visit& visit) {
    const int items = passes_ * blocks();
    while (true) {
      std::vector<std::size_t> ready;
      bool left = false;
      for (std::size_t t = 0; t < next_.size(); ++t) {
        if (next_[t] >= items) continue;
        left = true;
        if (relay_.may_go(next_[t] / blocks(), next_[t] % blocks(), waves(next_[t]), done())) ready.push_back(t);
      }
      if (!left) return true;
      if (ready.empty()) return false;
      const std::size_t t = ready[favourite_ < ready.size() && random() % 8 > 0 ? favourite_ : random() % ready.size()];
      if (random() % 64 == 0) favourite_ = random() % next_.size();
      const int item = next_[t];
      relay_.go(item % blocks(), waves(item), [&](int step, int begin, int end, int layer_begin, int layer_end) {
        visit(item / blocks(), step, begin, end, layer_begin, layer_end);
      });
      if (++waves(item) == relay_.waves) next_[t] += static_cast<int>(next_.size());
    }
  }

 private:
  int& waves(int item) { return done_[static_cast<std::size_t>(item)]; }
  const Relay& relay_;
  int passes_;
  std::vector<int> next_, done_;  // item of each thread; waves of each item
  std::size_t favourite_ = 0;
};

}  // namespace

TEST_CASE(
    "whoever is fast, every tile gets every step once, when what it reads is there and nobody needs what it "
    "overwrites") {
  std::mt19937 random(3);
  for (const int radius : {1, 2, 4, 5, 8}) {
    for (const std::array<int, 3>& size :
         {std::array<int, 3>{8, 167, 50}, {8, 61, 90}, {8, 3, 9}, {8, 64, 1}, {8, 1, 1}}) {
      const Layout layout(size, radius, 4);
      for (const int threads : {1, 2, 3, 8}) {
        for (const March& march : {March{2, 1, 1}, March{3, 9, 1}, March{4, 16, 2}, March{8, 2, 1}, March{2, 5, 3}}) {
          CAPTURE(radius, size, threads, march.steps, march.columns, march.layers);
          constexpr int passes = 3;
          std::vector<int> steps(layout.tiles.size(), 0);  // that a tile has done
          bool sound = true;
          const Relay relay = relay_of(layout, march, threads, tile_sizes(layout));
          const bool finished =
              Runners(relay, passes, threads)
                  .run(random, [&](int pass, int in_pass, int begin, int end, int layer_begin, int layer_end) {
                    const int reach = layout.reach(), step = pass * march.steps + in_pass;
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
          CHECK(finished);
          CHECK(sound);
          CHECK(std::set<int>(steps.begin(), steps.end()) == std::set<int>{passes * march.steps});
        }
      }
    }
  }
}

TEST_CASE("blocks share the work of a pass evenly, though they lean") {
  const Layout layout({64, 512, 64}, 1, 4);
  for (const int steps : {2, 4, 8}) {
    const Relay relay = relay_of(layout, {steps, 8, 1}, 16, tile_sizes(layout));
    REQUIRE(relay.blocks.size() == 16);
    for (int block = 0; block < 16; ++block) {
      int tiles = 0;
      for (int wave = 0; wave < relay.waves; ++wave)
        relay.go(block, wave, [&](int, int begin, int end, int from, int to) { tiles += (end - begin) * (to - from); });
      CHECK(tiles == Approx(layout.columns * layout.layers * steps / 16).epsilon(0.07));
    }
  }
}
