// Reciprocity: sources and receivers are exchanged where that makes fewer passes. Each receiver sends once, all sources
// record; the record of R at S is that of S at R.
//
// A step is M (u^{n+1} + u^{n-1}) = (2 M - K) u^n - C (u^{n+1} - u^{n-1}) + f, with the masses M diagonal, K symmetric
// and C, what walls do, symmetric as well at every frequency. A source adds w_s f, a receiver reads w_r^T u, with weights
// made alike; so the record is w_r^T G w_s with a symmetric G, the same number with s and r exchanged. That holds for
// the channels of directional sources and receivers, too, whose weights are derivatives, and to rounding in any
// precision.
#pragma once

#include <cstddef>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// How often the room is computed: once for each channel of the sources, or of the receivers where they are exchanged.
struct Passes {
  std::size_t count = 1;
  bool exchanged = false;
};

// As scene.simulation.reciprocity requests: `automatic` exchanges where there are fewer channels of receivers than of
// sources. Never with snapshots: they show the field of a source. In f32 never where a receiver has a pattern: the field
// that a derivative sends is small at low frequencies beside its short waves, and the rounding errors of those are up to
// a hundred times what a derivative reads of an omnidirectional field (docs/explanation/impulse-responses.md, section 2).
Passes passes_of(const Scene& scene);

// Exchanges sources and receivers of a plan.
void exchange_transducers(Plan& plan);

// The same, if `exchanged`, until its end: for the time that the plan is computed, not described.
class WhileExchanged {
 public:
  WhileExchanged(Plan& plan, bool exchanged) : plan_(exchanged ? &plan : nullptr) {
    if (plan_ != nullptr) exchange_transducers(*plan_);
  }
  ~WhileExchanged() {
    if (plan_ != nullptr) exchange_transducers(*plan_);
  }
  WhileExchanged(const WhileExchanged&) = delete;
  WhileExchanged& operator=(const WhileExchanged&) = delete;

 private:
  Plan* plan_;
};

}  // namespace fdtd
