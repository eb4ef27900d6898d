#include "engine/cuda/transducers/receivers.hpp"

#include <algorithm>

namespace fdtd::cuda {

ReceiverBuffers::ReceiverBuffers(const std::vector<Tap>& receivers, const Layout& layout, const OwnLayers& layers,
                                 std::int64_t capacity)
    : capacity_(capacity) {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::int64_t> offset;
  std::vector<double> weight;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const Tap& tap = receivers[r];
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      offset.push_back(layout.offset(tap.nodes[i]));
      weight.push_back(tap.weights[i]);
      if (i + 1 < tap.nodes.size() && layers.of_node(tap.nodes[i + 1]) == layers.of_node(tap.nodes[i])) continue;
      begin.push_back(offset.size());
      receiver_of_.push_back(r);
    }
  }
  parts_ = static_cast<std::uint32_t>(receiver_of_.size());
  begin_ = DeviceArray<std::uint64_t>(begin);
  offset_ = DeviceArray<std::int64_t>(offset);
  weight_ = DeviceArray<double>(weight);
  samples_ = DeviceArray<double>(receiver_of_.size() * static_cast<std::size_t>(capacity));
  injected_ = DeviceArray<double>(layers.count());
  dissipated_ = DeviceArray<double>(layers.count());
  counter_ = DeviceArray<std::int64_t>(receiver_of_.size() + layers.count());
}

ReceiversView ReceiverBuffers::view() const {
  return {parts_,          begin_.data(), offset_.data(),  weight_.data(),
          samples_.data(), capacity_,     counter_.data(), dissipated_.data()};
}

void ReceiverBuffers::start_block() { counter_.set(std::vector<std::int64_t>(counter_.size(), -1)); }

void ReceiverBuffers::collect(std::int64_t count, std::int64_t first, Samples& samples) const {
  const std::vector<double> all = samples_.get();
  for (std::size_t part = 0; part < receiver_of_.size(); ++part) {
    const double* const block_samples = all.data() + static_cast<std::int64_t>(part) * capacity_;
    double* const p = samples.p.data() + static_cast<std::int64_t>(receiver_of_[part]) * samples.steps + first;
    for (std::int64_t n = 0; n < count; ++n) p[n] += block_samples[n];
  }
}

void ReceiverBuffers::set_sums(const Sums& sums) {
  const auto fold = [](const std::vector<double>& from, DeviceArray<double>& to) {
    std::vector<double> layers(to.size(), 0.0);
    for (std::size_t l = 0; l < from.size(); ++l) layers[std::min(l, layers.size() - 1)] += from[l];
    to.set(layers);
  };
  fold(sums.injected, injected_);
  fold(sums.dissipated, dissipated_);
}

}  // namespace fdtd::cuda
