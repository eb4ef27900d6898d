#include <algorithm>

#include "engine/cuda/wall_memory.hpp"

namespace fdtd::cuda {

Ears::Ears(const std::vector<Tap>& receivers, const Layout& layout, std::int64_t capacity) : capacity_(capacity) {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::int64_t> offset;
  std::vector<double> weight;
  const auto layer = [&](std::uint64_t node) {
    const auto in_plane = static_cast<std::uint64_t>(layout.size[0]) * static_cast<std::uint64_t>(layout.size[1]);
    return layer_of(static_cast<int>(node / in_plane), layout.size[2]);
  };
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const Tap& tap = receivers[r];
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      offset.push_back(layout.offset(tap.nodes[i]));
      weight.push_back(tap.weights[i]);
      if (i + 1 < tap.nodes.size() && layer(tap.nodes[i + 1]) == layer(tap.nodes[i])) continue;
      begin.push_back(offset.size());
      receiver_of_.push_back(r);
    }
  }
  parts_ = static_cast<std::uint32_t>(receiver_of_.size());
  begin_ = DeviceArray<std::uint64_t>(begin);
  offset_ = DeviceArray<std::int64_t>(offset);
  weight_ = DeviceArray<double>(weight);
  samples_ = DeviceArray<double>(receiver_of_.size() * static_cast<std::size_t>(capacity));
  sums_ = DeviceArray<double>(2);
  counter_ = DeviceArray<std::int64_t>(receiver_of_.size() + 1);
}

ListenView Ears::view() const {
  return {parts_,          begin_.data(), offset_.data(),  weight_.data(),
          samples_.data(), capacity_,     counter_.data(), sums_.data() + 1};
}

void Ears::start_block() { counter_.set(std::vector<std::int64_t>(counter_.size(), -1)); }

void Ears::collect(std::int64_t count, std::int64_t first, Samples& samples) const {
  const std::vector<double> all = samples_.get();
  for (std::size_t part = 0; part < receiver_of_.size(); ++part) {
    const double* const heard = all.data() + static_cast<std::int64_t>(part) * capacity_;
    double* const p = samples.p.data() + static_cast<std::int64_t>(receiver_of_[part]) * samples.steps + first;
    for (std::int64_t n = 0; n < count; ++n) p[n] += heard[n];
  }
}

Ears::Sums Ears::sums() const {
  const std::vector<double> both = sums_.get();
  return {both[0], both[1]};
}

void Ears::set_sums(const Sums& sums) { sums_.set({sums.injected, sums.dissipated}); }

}  // namespace fdtd::cuda
