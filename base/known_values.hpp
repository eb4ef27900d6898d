// Results of functions by their numbers, kept in the process, so that a second plan of the same materials and stencil does
// not find them again. Any thread may ask; a result does not depend on who asks first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fdtd {

// FNV-1a over 64-bit words, folded.
inline std::uint64_t hash_of_numbers(std::span<const double> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double number : numbers) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3U;
    hash ^= hash >> 29U;
  }
  return hash;
}

template <class Value>
class KnownValues {
 public:
  // With more than `most` values it begins anew.
  explicit KnownValues(std::size_t most) : most_(most) {}

  // `compute()`, unless it is known of these numbers: all that it depends on. Two threads that ask for the same may both
  // compute it.
  template <class Compute>
  Value of(std::vector<double> numbers, const Compute& compute) {
    if (std::optional<Value> known = find(numbers)) return *std::move(known);
    return keep(std::move(numbers), compute());
  }

  std::optional<Value> find(const std::vector<double>& numbers) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(numbers);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  // In place of an earlier value of the same numbers.
  Value keep(std::vector<double> numbers, Value value) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_) known_.clear();
    known_.insert_or_assign(std::move(numbers), value);
    return value;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<double>& numbers) const { return hash_of_numbers(numbers); }
  };

  std::size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::vector<double>, Value, Hash> known_;
};

}  // namespace fdtd
