// Nodes of some planes of a grid as bits, and the place of each among them: a search in a sorted list of millions reads
// memory a dozen times, this once or twice. Nodes are added and counted in parallel; the result does not depend on it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fdtd {

class NodeSet {
 public:
  NodeSet() = default;
  // Of the planes [begin, end) of a grid, without any node yet.
  NodeSet(const std::array<int, 3>& size, int begin, int end);

  // Several threads may add at a time. The node must lie in the planes.
  void add(std::uint64_t node) {
    const std::uint64_t row = node / nx_, x = node - row * nx_;
    const std::uint64_t bit = std::uint64_t{1} << (x % 64);
    const std::atomic_ref<std::uint64_t> word(words_[word_of(row, x)]);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  // After the last node. Throws std::length_error for 2^32 nodes and more.
  void number();

  std::size_t count() const { return count_; }
  // The number of nodes of the set below a node, whether that is one of them or not.
  std::size_t place(std::uint64_t node) const {
    const std::uint64_t row = node / nx_;
    if (row < first_row_) return 0;
    return row < end_row_ ? place_in_row(row, node - row * nx_) : count_;
  }
  // In numbers of rows y + ny z. The 64 nodes from x on, a multiple of 64, are a word; both must lie in the planes.
  std::uint64_t word(std::uint64_t row, std::uint64_t x) const { return words_[word_of(row, x)]; }
  bool has(std::uint64_t row, std::uint64_t x) const { return (words_[word_of(row, x)] >> (x % 64) & 1U) != 0; }
  std::size_t place_in_row(std::uint64_t row, std::uint64_t x) const {
    const std::size_t w = word_of(row, x);
    return before_[w] + static_cast<std::size_t>(std::popcount(words_[w] & ((std::uint64_t{1} << (x % 64)) - 1)));
  }

  // visit(node) of every node, in parallel; in order within a row.
  template <class Visit>
  void each(const Visit& visit) const {
    const auto rows = static_cast<std::int64_t>(end_row_ - first_row_);
#pragma omp parallel for schedule(dynamic, 256) if (count_ > few_nodes)
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::uint64_t row = first_row_ + static_cast<std::uint64_t>(r);
      for (std::uint64_t x0 = 0; x0 < nx_; x0 += 64) {
        for (std::uint64_t bits = word(row, x0); bits != 0; bits &= bits - 1)
          visit(row * nx_ + x0 + static_cast<std::uint64_t>(std::countr_zero(bits)));
      }
    }
  }
  std::vector<std::uint64_t> nodes() const;  // ascending

 private:
  static constexpr std::size_t few_nodes = 32768;  // worth no threads
  std::size_t word_of(std::uint64_t row, std::uint64_t x) const {
    return static_cast<std::size_t>((row - first_row_) * words_a_row_ + x / 64);
  }

  std::uint64_t nx_ = 1, words_a_row_ = 1, first_row_ = 0, end_row_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;  // nodes before each word
  std::size_t count_ = 0;
};

// work(item) of every item of a list, in parallel.
template <class Items, class Work>
void each_item(const Items& items, const Work& work) {
  constexpr std::int64_t few_items = 32768;
  const auto count = static_cast<std::int64_t>(items.size());
#pragma omp parallel for schedule(static) if (count > few_items)
  for (std::int64_t i = 0; i < count; ++i) work(items[static_cast<std::size_t>(i)]);
}

}  // namespace fdtd
