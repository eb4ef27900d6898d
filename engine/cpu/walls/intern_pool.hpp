// A pool of value sequences that stores equal sequences once: what many batches of a wall share stays in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fdtd::cpu {

template <class V>
class InternPool {
 public:
  // Returns the index of `values` in all().
  std::size_t keep(const std::vector<V>& values) {
    const std::string_view bytes = bytes_of(values.data(), values.size());
    const std::size_t hash = std::hash<std::string_view>{}(bytes);
    const auto [begin, end] = known_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      const auto [at, size] = it->second;
      if (bytes_of(all_.data() + at, size) == bytes) return at;
    }
    const std::size_t at = all_.size();
    all_.insert(all_.end(), values.begin(), values.end());
    known_.emplace(hash, Stretch{at, values.size()});
    return at;
  }
  // Frees the lookup table: no sequence will be added.
  void close() { known_ = {}; }
  const std::vector<V>& all() const { return all_; }

 private:
  struct Stretch {
    std::size_t at, size;
  };
  static std::string_view bytes_of(const V* values, std::size_t count) {
    return {reinterpret_cast<const char*>(values), count * sizeof(V)};
  }
  std::vector<V> all_;
  std::unordered_multimap<std::size_t, Stretch> known_;
};

}  // namespace fdtd::cpu
