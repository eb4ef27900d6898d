// The checksum of sealed files: four parallel lanes of multiply and rotate after Y. Collet's xxHash64, as fast as
// memory reads. It detects damage, not forgery.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fdtd {

inline std::uint64_t word_at(const char* bytes) {  // little-endian
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

// The hash of `bytes` continued from `before`: the value of a chain depends on its links and on their order.
inline std::uint64_t seal_hash(std::string_view bytes, std::uint64_t before = 0) {
  constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87U, prime_2 = 0xC2B2AE3D27D4EB4FU;
  const auto mix = [&](std::uint64_t& lane, std::uint64_t word) {
    lane = std::rotl(lane + word * prime_2, 31) * prime_1;
  };
  std::array<std::uint64_t, 4> lanes{prime_1 + prime_2, prime_2, before, before - prime_1};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32)
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lanes[lane], word_at(bytes.data() + at + 8 * lane));
  for (; at < bytes.size(); ++at) mix(lanes[at % 4], static_cast<unsigned char>(bytes[at]) + 1U);
  std::uint64_t all = bytes.size();
  for (const std::uint64_t lane : lanes) mix(all, lane);
  all = (all ^ all >> 33) * prime_2;
  return all ^ all >> 29;
}

}  // namespace fdtd
