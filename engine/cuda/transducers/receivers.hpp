// Receivers on the GPU: their taps, their samples, and the run's sums of energy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cuda {

// Receivers sample u^n while step n is computed: sample n - 1 of the block. Each has a counter of its own, -1 at the
// start of a block, so that a captured graph of steps finds its place; behind them each layer has one, for the energy
// lost in it.
struct ReceiversView {
  std::uint32_t count;         // of receivers, cut by layers
  const std::uint64_t* begin;  // taps of receiver r: [begin[r], begin[r + 1])
  const std::int64_t* offset;
  const double* weight;
  double* samples;        // [r * capacity + n]
  std::int64_t capacity;  // steps
  std::int64_t* counter;  // receivers, then layers
  double* dissipated;     // by layer
};

// Receivers, cut by layers (slab.hpp), with room for `capacity` steps of samples; and the run's two sums, layer by
// layer.
class ReceiverBuffers {
 public:
  ReceiverBuffers(const std::vector<Tap>& receivers, const Layout& layout, const OwnLayers& layers,
                  std::int64_t capacity);
  ReceiversView view() const;
  void start_block();  // the counters back to -1
  // p[r * steps + first + n] of the `count` samples that the last block left.
  void collect(std::int64_t count, std::int64_t first, Samples& samples) const;
  std::int64_t capacity() const { return capacity_; }

  struct Sums {
    std::vector<double> injected, dissipated;
  };
  Sums sums() const { return {injected_.get(), dissipated_.get()}; }
  // None: zeros. Of more layers than there are, the last takes those that are left.
  void set_sums(const Sums& sums);
  double* injected() const { return injected_.data(); }

 private:
  std::int64_t capacity_;
  std::uint32_t parts_ = 0;
  std::vector<std::size_t> receiver_of_;  // by part
  DeviceArray<std::uint64_t> begin_;
  DeviceArray<std::int64_t> offset_;
  DeviceArray<double> weight_, samples_, injected_, dissipated_;
  DeviceArray<std::int64_t> counter_;
};

}  // namespace fdtd::cuda
