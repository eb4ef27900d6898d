// Counter-based random numbers: Philox 4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", Proc. SC11 (2011).
//
// Four words of 32 bits are a function of a counter of four words and a key of two. There is no state: any thread draws
// any number in any order and gets the same bytes.
#pragma once

#include <array>
#include <cstdint>

namespace fdtd {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0], b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

// A key for each pair of a seed and the number of a stream, all 128 bits of which count.
constexpr PhiloxKey philox_key(std::uint64_t seed, std::uint64_t stream) {
  const PhiloxCounter words = philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                                      static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                                     {});
  return {words[0], words[1]};
}

// Uniform in 0 <= x < 1: multiples of 2^-32, or of 2^-53 from two words.
constexpr double uniform(std::uint32_t word) { return static_cast<double>(word) * 0x1p-32; }
constexpr double uniform(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

}  // namespace fdtd
