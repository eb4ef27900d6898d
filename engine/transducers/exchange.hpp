// Reciprocity: sources and receivers are exchanged where that makes fewer passes. Each receiver sends once, all sources
// record; the record of R at S is that of S at R, to rounding, with walls that have memory and for the channels of
// directional sources and receivers, too. Proof: docs/explanation/impulse-responses.md, section 2.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// How often the room is computed: once for each channel of the sources, or of the receivers where they are exchanged.
// All channels of a directional source send in one pass, each by its own signal (plan/joint_pass.hpp); but those of a pair
// that is too near beside oblique walls have passes of their own (joint_parts.hpp).
struct Passes {
  std::size_t count = 1;
  bool exchanged = false;
  std::vector<JointParts> joint = {};
};

// As scene.simulation.reciprocity requests: `automatic` exchanges where there are fewer channels of receivers than of
// sources, and no more than passes otherwise; fewer, where a source has measured harmonics, since rounding limits them
// more where they record than where they send filtered signals. Never with snapshots: they show the field of a source. In
// f32 never where a receiver has a pattern: the field that a derivative sends is small at low frequencies beside its short
// waves, and the rounding errors of those are up to a hundred times what a derivative reads of an omnidirectional field
// (docs/explanation/impulse-responses.md, section 2).
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
