// The bits of a file in turn, the highest of a byte first, with the checksums of what has passed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/input_file.hpp"

namespace fdtd {

class FlacBits {
 public:
  explicit FlacBits(const InputFile& file) : file_(file), block_(std::size_t{1} << 16) {}

  std::uint64_t place() const { return at_; }                // of the next byte
  std::uint64_t left() const { return file_.size() - at_; }  // whole bytes
  void skip(std::uint64_t bytes);                            // from one byte to another; no further than the file goes
  std::uint64_t number(int bits);                            // 0 to 64 of them
  std::int64_t signed_number(int bits);                      // two's complement
  std::uint64_t zeros();                                     // how many come before the next one, which passes too
  void to_byte() { held_ = 0; }

  // CRC-8 (x^8 + x^2 + x + 1) and CRC-16 (x^16 + x^15 + x^2 + 1) of the whole bytes since `restart`.
  void restart() { crc8_ = 0, crc16_ = 0; }
  unsigned crc8() const { return crc8_; }
  unsigned crc16() const { return crc16_; }

 private:
  unsigned next_byte();

  const InputFile& file_;
  std::vector<unsigned char> block_;
  std::uint64_t at_ = 0, block_begin_ = 0, block_end_ = 0;
  unsigned byte_ = 0;  // its `held_` lowest bits have not passed yet
  int held_ = 0;
  unsigned crc8_ = 0, crc16_ = 0;
};

}  // namespace fdtd
