#include "engine/walls/cut/node_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace fdtd {

NodeSet::NodeSet(const std::array<int, 3>& size, int begin, int end)
    : nx_(static_cast<std::uint64_t>(size[0])),
      words_a_row_((nx_ + 63) / 64),
      first_row_(static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(begin)),
      end_row_(static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(std::max(begin, end))),
      words_(static_cast<std::size_t>((end_row_ - first_row_) * words_a_row_), 0) {}

void NodeSet::number() {
  constexpr std::size_t words_a_block = 8192;
  const auto blocks = static_cast<std::int64_t>((words_.size() + words_a_block - 1) / words_a_block);
  const auto end_of = [&](std::int64_t b) {
    return std::min(words_.size(), (static_cast<std::size_t>(b) + 1) * words_a_block);
  };
  before_.resize(words_.size());
  std::vector<std::uint64_t> first(static_cast<std::size_t>(blocks) + 1, 0);
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::uint64_t sum = 0;
    for (std::size_t w = static_cast<std::size_t>(b) * words_a_block; w < end_of(b); ++w)
      sum += static_cast<std::uint64_t>(std::popcount(words_[w]));
    first[static_cast<std::size_t>(b) + 1] = sum;
  }
  for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
  if (first.back() > 0xffffffffU) throw std::length_error("NodeSet: 2^32 nodes or more");
  count_ = static_cast<std::size_t>(first.back());
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::uint64_t sum = first[static_cast<std::size_t>(b)];
    for (std::size_t w = static_cast<std::size_t>(b) * words_a_block; w < end_of(b); ++w) {
      before_[w] = static_cast<std::uint32_t>(sum);
      sum += static_cast<std::uint64_t>(std::popcount(words_[w]));
    }
  }
}

std::vector<std::uint64_t> NodeSet::nodes() const {
  std::vector<std::uint64_t> all(count_);
  const auto rows = static_cast<std::int64_t>(end_row_ - first_row_);
#pragma omp parallel for schedule(static) if (count_ > few_nodes)
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::uint64_t row = first_row_ + static_cast<std::uint64_t>(r);
    std::size_t next = place_in_row(row, 0);
    for (std::uint64_t x0 = 0; x0 < nx_; x0 += 64) {
      for (std::uint64_t bits = word(row, x0); bits != 0; bits &= bits - 1)
        all[next++] = row * nx_ + x0 + static_cast<std::uint64_t>(std::countr_zero(bits));
    }
  }
  return all;
}

}  // namespace fdtd
