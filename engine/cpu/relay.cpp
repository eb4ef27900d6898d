#include "engine/cpu/relay.hpp"

namespace fdtd::cpu {

Relay relay_of(const Layout& layout, const March& march, int threads) {
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
  for (int b = 0; b < count; ++b) {
    const auto cut = [&](int i) {
      return static_cast<int>(static_cast<std::int64_t>(layout.columns) * i / count) + shift;
    };
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
