#include <algorithm>

#include "engine/cuda/wall_memory.hpp"

namespace fdtd::cuda {

Ears::Ears(const std::vector<Tap>& receivers, const Layout& layout, std::int64_t capacity)
    : capacity_(capacity), receivers_(static_cast<std::uint32_t>(receivers.size())) {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::int64_t> offset;
  std::vector<double> weight;
  for (const Tap& tap : receivers) {
    for (const std::uint64_t node : tap.nodes) offset.push_back(layout.offset(node));
    weight.insert(weight.end(), tap.weights.begin(), tap.weights.end());
    begin.push_back(offset.size());
  }
  begin_ = DeviceArray<std::uint64_t>(begin);
  offset_ = DeviceArray<std::int64_t>(offset);
  weight_ = DeviceArray<double>(weight);
  samples_ = DeviceArray<double>(receivers.size() * static_cast<std::size_t>(capacity));
  sums_ = DeviceArray<double>(2);
  counter_ = DeviceArray<std::int64_t>(receivers.size() + 1);
}

ListenView Ears::view() const {
  return {receivers_,      begin_.data(), offset_.data(),  weight_.data(),
          samples_.data(), capacity_,     counter_.data(), sums_.data() + 1};
}

void Ears::start_block() { counter_.set(std::vector<std::int64_t>(counter_.size(), -1)); }

void Ears::collect(std::int64_t count, std::int64_t first, Samples& samples) const {
  const std::vector<double> all = samples_.get();
  for (std::uint32_t r = 0; r < receivers_; ++r) {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r) * capacity_, count,
                samples.p.begin() + static_cast<std::ptrdiff_t>(r) * samples.steps + first);
  }
}

Ears::Sums Ears::sums() const {
  const std::vector<double> both = sums_.get();
  return {both[0], both[1]};
}

void Ears::set_sums(const Sums& sums) { sums_.set({sums.injected, sums.dissipated}); }

}  // namespace fdtd::cuda
