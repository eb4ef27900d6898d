#include "engine/h5_seal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

#include "engine/error.hpp"

namespace fdtd {
namespace {

constexpr std::string_view magic = "fdtdseal";
constexpr std::size_t seal_bytes = 24, block_bytes = 1 << 20;

std::uint64_t word_at(const char* bytes) {  // little-endian
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

void append_word(std::string& text, std::uint64_t word) {
  for (int i = 0; i < 8; ++i, word >>= 8) text += static_cast<char>(word & 0xFF);
}

// Four lanes of multiply and rotate side by side, after Y. Collet's xxHash64: as fast as memory is read.
class SealHash {
 public:
  // Pieces of whole blocks of 32 bytes, but for the last.
  void add(std::string_view bytes) {
    length_ += bytes.size();
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32)
      for (std::size_t lane = 0; lane < 4; ++lane) mix(lanes_[lane], word_at(bytes.data() + at + 8 * lane));
    for (; at < bytes.size(); ++at) mix(lanes_[at % 4], static_cast<unsigned char>(bytes[at]) + 1U);
  }
  std::uint64_t value() const {
    std::uint64_t all = length_;
    for (const std::uint64_t lane : lanes_) mix(all, lane);
    all = (all ^ all >> 33) * prime_2;
    return all ^ all >> 29;
  }

 private:
  static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87U, prime_2 = 0xC2B2AE3D27D4EB4FU;
  static void mix(std::uint64_t& lane, std::uint64_t word) { lane = std::rotl(lane + word * prime_2, 31) * prime_1; }
  std::array<std::uint64_t, 4> lanes_{prime_1 + prime_2, prime_2, 0, 0 - prime_1};
  std::uint64_t length_ = 0;
};

std::string seal_with(std::uint64_t length, std::uint64_t hash) {
  std::string seal(magic);
  append_word(seal, length);
  append_word(seal, hash);
  return seal;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, path.string() + ": " + what, "it was damaged, or changed by another program");
}

struct Descriptor {
  int file;
  ~Descriptor() {
    if (file >= 0) ::close(file);
  }
};

}  // namespace

std::string seal_of(std::string_view bytes) {
  SealHash hash;
  hash.add(bytes);
  return seal_with(bytes.size(), hash.value());
}

void check_seal(const std::filesystem::path& path) {
  const Descriptor in{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const auto cannot = [&] { refuse(path, "cannot be read: " + std::generic_category().message(errno)); };
  struct stat status {};
  if (in.file < 0 || ::fstat(in.file, &status) != 0) cannot();
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < seal_bytes) refuse(path, fmt::format("is no whole file of this program: {} bytes", size));
  const std::uint64_t length = size - seal_bytes;
  SealHash hash;
  std::vector<char> block(block_bytes);
  std::string seal;
  const auto read = [&](std::uint64_t at, std::size_t bytes) {
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t count = ::pread(in.file, block.data() + got, bytes - got, static_cast<off_t>(at + got));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) cannot();
      if (count == 0) refuse(path, "shrinks while it is read");
      got += static_cast<std::size_t>(count);
    }
    return std::string_view(block.data(), bytes);
  };
  if (!read(length, seal_bytes).starts_with(magic))
    refuse(path, "is no whole file of this program: it has no seal at its end");
  seal = std::string(block.data(), seal_bytes);
  for (std::uint64_t at = 0; at < length; at += block_bytes)
    hash.add(read(at, static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, length - at))));
  if (seal != seal_with(length, hash.value())) refuse(path, "is damaged: its bytes are not those that were sealed");
}

}  // namespace fdtd
