// Numbers of different things, found by hashes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fdtd {

inline std::uint64_t hash_of_key(std::span<const std::uint64_t> key) {
  std::uint64_t h = key.size();
  for (const std::uint64_t value : key) {
    h = (h ^ value) * 0xff51afd7ed558ccdU;
    h ^= h >> 32U;
  }
  return h;
}

// Numbers of things by their hashes, 0, 1, ... in the order in which they come.
class HashNumbers {
 public:
  // same(n): whether the thing is the n-th. The second: whether it is new, and so has the number of those before it.
  template <class Same>
  std::pair<std::uint32_t, bool> number(std::uint64_t hash, const Same& same) {
    if (2 * (hashes_.size() + 1) > places_.size()) grow();
    for (std::size_t at = place(hash);; at = (at + 1) & (places_.size() - 1)) {
      const std::uint32_t n = places_[at];
      if (n == none) {
        places_[at] = static_cast<std::uint32_t>(hashes_.size());
        hashes_.push_back(hash);
        return {places_[at], true};
      }
      if (hashes_[n] == hash && same(n)) return {n, false};
    }
  }
  std::vector<std::uint64_t> take_hashes() { return std::move(hashes_); }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  std::size_t place(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (places_.size() - 1); }
  void grow() {
    places_.assign(std::max<std::size_t>(64, 2 * places_.size()), none);
    for (std::size_t n = 0; n < hashes_.size(); ++n) {
      std::size_t at = place(hashes_[n]);
      while (places_[at] != none) at = (at + 1) & (places_.size() - 1);
      places_[at] = static_cast<std::uint32_t>(n);
    }
  }
  std::vector<std::uint32_t> places_;  // a power of two of them
  std::vector<std::uint64_t> hashes_;
};

}  // namespace fdtd
