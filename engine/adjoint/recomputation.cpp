#include "engine/adjoint/recomputation.hpp"

#include <cstddef>

namespace fdtd {

// cost(l, c) = min over k of k + cost(l - k, c - 1) + cost(k, c): to the checkpoint, what follows, what precedes it.

Recomputation::Recomputation(int segments, int checkpoints)
    : segments_(segments),
      cost_(static_cast<std::size_t>(segments + 1) * static_cast<std::size_t>(checkpoints + 1)),
      split_(cost_.size()) {
  for (int l = 1; l <= segments; ++l) cost_[at(l, 0)] = std::int64_t{l} * (l + 1) / 2;
  for (int c = 1; c <= checkpoints; ++c) {
    if (segments >= 1) cost_[at(1, c)] = 1;
    for (int l = 2; l <= segments; ++l) {
      for (int k = 1; k < l; ++k) {
        const std::int64_t cost = k + cost_[at(l - k, c - 1)] + cost_[at(k, c)];
        if (k > 1 && cost >= cost_[at(l, c)]) continue;
        cost_[at(l, c)] = cost;
        split_[at(l, c)] = k;
      }
    }
  }
}

}  // namespace fdtd
