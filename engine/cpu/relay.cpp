#include "engine/cpu/relay.hpp"

#include <numeric>

namespace fdtd::cpu {
namespace {

// The columns at which `count` blocks of the same cost begin, and the end.
std::vector<int> even_cuts(const Layout& layout, int count, const std::vector<double>& costs) {
  std::vector<double> until(static_cast<std::size_t>(layout.columns) + 1, 0.0);
  for (int layer = 0; layer < layout.layers; ++layer)
    for (std::size_t column = 0; column + 1 < until.size(); ++column)
      until[column + 1] += costs[layout.first_tile(layer) + column];
  std::partial_sum(until.begin(), until.end(), until.begin());
  std::vector<int> cuts;
  for (int i = 0; i < count; ++i) {
    const double share = until.back() * i / count;
    const auto after = std::lower_bound(until.begin(), until.end(), share);
    const bool before = after != until.begin() && share - *(after - 1) < *after - share;
    cuts.push_back(static_cast<int>(after - until.begin()) - (before ? 1 : 0));
  }
  cuts.push_back(layout.columns);
  return cuts;
}

}  // namespace

Relay relay_of(const Layout& layout, const March& march, int threads, const std::vector<double>& costs) {
  Relay relay;
  relay.columns = layout.columns;
  relay.layers = layout.layers;
  relay.steps = march.steps;
  relay.band_layers = march.layers;
  relay.bands = (layout.layers + march.layers - 1) / march.layers;
  relay.lag = (layout.reach() + march.layers - 1) / march.layers;
  relay.waves = relay.bands + (march.steps - 1) * relay.lag;

  int count = std::max(1, (layout.columns + march.columns / 2) / march.columns);
  if (count > threads) count = (count + threads / 2) / threads * threads;  // the same number for all
  // The lowest block does not lean where the grid begins, nor the highest where it ends: cuts half a lean further up give
  // all the same work.
  const int reach = layout.reach(), shift = reach * (march.steps - 1) / 2;
  const std::vector<int> cuts = even_cuts(layout, count, costs);
  for (int b = 0; b < count; ++b) {
    const auto cut = [&](int i) { return cuts[static_cast<std::size_t>(i)] + shift; };
    Relay::Block block;
    block.begin = b > 0 ? cut(b) : 0;
    block.begin_moves = b > 0 ? -reach : 0;
    block.end = b + 1 < count ? cut(b + 1) : layout.columns;
    block.end_moves = b + 1 < count ? -reach : 0;
    relay.blocks.push_back(block);
  }
  for (Relay::Block& block : relay.blocks) {
    block.behind = count - 1;
    for (int b = count - 1; b-- > 0;) {
      const int done = relay.blocks[static_cast<std::size_t>(b)].end - reach * (march.steps - 1);
      if (done >= block.end + reach) block.behind = b;
    }
  }
  return relay;
}

}  // namespace fdtd::cpu
