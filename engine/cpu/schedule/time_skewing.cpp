#include "engine/cpu/schedule/time_skewing.hpp"

#include <cstdlib>
#include <limits>
#include <numeric>

namespace fdtd::cpu {
namespace {

// Cost of all columns before each, and of all.
std::vector<double> cost_until(const Layout& layout, const std::vector<double>& costs) {
  std::vector<double> until(static_cast<std::size_t>(layout.columns) + 1, 0.0);
  for (int layer = 0; layer < layout.layers; ++layer)
    for (std::size_t column = 0; column + 1 < until.size(); ++column)
      until[column + 1] += costs[layout.first_tile(layer) + column];
  std::partial_sum(until.begin(), until.end(), until.begin());
  return until;
}

// The columns at which `count` blocks of the same cost begin, and the end.
std::vector<int> even_cuts(const std::vector<double>& until, int count) {
  std::vector<int> cuts;
  for (int i = 0; i < count; ++i) {
    const double goal = until.back() * i / count;
    const auto after = std::lower_bound(until.begin(), until.end(), goal);
    const bool before = after != until.begin() && goal - *(after - 1) < *after - goal;
    cuts.push_back(static_cast<int>(after - until.begin()) - (before ? 1 : 0));
  }
  cuts.push_back(static_cast<int>(until.size()) - 1);
  return cuts;
}

// The number of blocks, near `wanted`. Threads follow each other at the speed of the most expensive block and take the
// blocks of all passes in turn. With many threads blocks have few columns: blocks of four or five columns are uneven by
// a quarter, a third more blocks of three columns are even. With several NUMA nodes a thread has the same blocks in
// every pass.
int count_of_blocks(const std::vector<double>& until, int wanted, int threads, int memory_nodes) {
  const int passes = max_passes(threads);
  int best = wanted;
  double least = std::numeric_limits<double>::infinity();
  for (int count = std::max(1, wanted * 3 / 4); count <= wanted * 3 / 2; ++count) {
    if (memory_nodes > 1 && wanted >= threads && count % threads != 0) continue;
    const std::vector<int> cuts = even_cuts(until, count);
    double dearest = 0.0;
    for (std::size_t b = 0; b + 1 < cuts.size(); ++b)
      dearest =
          std::max(dearest, until[static_cast<std::size_t>(cuts[b + 1])] - until[static_cast<std::size_t>(cuts[b])]);
    const int transposes = (passes * count + threads - 1) / threads;
    // Prefer the requested number.
    const double time = transposes * dearest * (1.0 + 0.1 * std::abs(count - wanted) / wanted);
    if (time < least) {
      least = time;
      best = count;
    }
  }
  return best;
}

}  // namespace

TimeSkewing time_skewing_of(const Layout& layout, const TileOrder& order, int threads, int memory_nodes,
                            const std::vector<double>& costs) {
  TimeSkewing skewing;
  skewing.columns = layout.columns;
  skewing.layers = layout.layers;
  skewing.steps = order.steps;
  skewing.band_layers = order.layers;
  skewing.bands = (layout.layers + order.layers - 1) / order.layers;
  skewing.lag = (layout.reach() + order.layers - 1) / order.layers;
  skewing.waves = skewing.bands + (order.steps - 1) * skewing.lag;

  const std::vector<double> until = cost_until(layout, costs);
  const int wanted = std::max(1, (layout.columns + order.columns / 2) / order.columns);
  const int count = count_of_blocks(until, wanted, threads, memory_nodes);
  // The grid clips the lowest and the highest block, which are not skewed there: cuts moved up by half the skew balance
  // the work.
  const int reach = layout.reach(), shift = reach * (order.steps - 1) / 2;
  const std::vector<int> cuts = even_cuts(until, count);
  for (int b = 0; b < count; ++b) {
    const auto cut = [&](int i) { return cuts[static_cast<std::size_t>(i)] + shift; };
    TimeSkewing::Block block;
    block.begin = b > 0 ? cut(b) : 0;
    block.begin_moves = b > 0 ? -reach : 0;
    block.end = b + 1 < count ? cut(b + 1) : layout.columns;
    block.end_moves = b + 1 < count ? -reach : 0;
    skewing.blocks.push_back(block);
  }
  for (TimeSkewing::Block& block : skewing.blocks) {
    block.behind = count - 1;
    for (int b = count - 1; b-- > 0;) {
      const int done = skewing.blocks[static_cast<std::size_t>(b)].end - reach * (order.steps - 1);
      if (done >= block.end + reach) block.behind = b;
    }
  }
  return skewing;
}

}  // namespace fdtd::cpu
