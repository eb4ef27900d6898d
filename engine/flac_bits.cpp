#include "engine/flac_bits.hpp"

#include <algorithm>
#include <bit>

#include "engine/error.hpp"

namespace fdtd {
namespace {

template <unsigned polynomial, unsigned width>
constexpr std::array<unsigned, 256> crc_table() {
  std::array<unsigned, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << (width - 8);
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> (width - 1) & 1U) != 0 ? polynomial : 0);
    table[byte] = crc & ((1U << width) - 1);
  }
  return table;
}

constexpr auto table8 = crc_table<0x07, 8>();
constexpr auto table16 = crc_table<0x8005, 16>();

}  // namespace

unsigned FlacBits::next_byte() {
  if (at_ >= file_.size())
    throw Error(Status::file, file_.path().string() + ": ends early, in the middle of its samples");
  if (at_ < block_begin_ || at_ >= block_end_) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), file_.size() - at_));
    file_.read(at_, block_.data(), count);
    block_begin_ = at_;
    block_end_ = at_ + count;
  }
  const unsigned byte = block_[static_cast<std::size_t>(at_++ - block_begin_)];
  crc8_ = table8[crc8_ ^ byte];
  crc16_ = (crc16_ << 8 & 0xFFFF) ^ table16[crc16_ >> 8 ^ byte];
  return byte;
}

void FlacBits::skip(std::uint64_t bytes) {
  at_ += std::min(bytes, left());
  held_ = 0;
}

std::uint64_t FlacBits::number(int bits) {
  std::uint64_t value = 0;
  while (bits > 0) {
    if (held_ == 0) {
      byte_ = next_byte();
      held_ = 8;
    }
    const int taken = std::min(bits, held_);
    held_ -= taken;
    value = value << taken | (byte_ >> held_ & ((1U << taken) - 1));
    bits -= taken;
  }
  return value;
}

std::int64_t FlacBits::signed_number(int bits) {
  if (bits == 0) return 0;
  const std::uint64_t value = number(bits), sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

std::uint64_t FlacBits::zeros() {
  std::uint64_t count = 0;
  for (;;) {
    if (held_ == 0) {
      byte_ = next_byte();
      held_ = 8;
    }
    const unsigned rest = byte_ & ((1U << held_) - 1);
    if (rest != 0) {
      const int here = held_ - std::bit_width(rest);
      held_ -= here + 1;
      return count + static_cast<std::uint64_t>(here);
    }
    count += static_cast<std::uint64_t>(held_);
    held_ = 0;
  }
}

}  // namespace fdtd
