// read_checkpoint and read_result: any bytes are what they claim to be or an error of status file. Bytes with an index
// are also tried with every hash mended, as a forger would: what is behind the checksums is judged as well.
#include <stdexcept>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/files/checksum.hpp"
#include "engine/files/h5_index.hpp"
#include "engine/results/result.hpp"
#include "tests/fuzz/file_of.hpp"

namespace {

void read_both(const std::filesystem::path& file) {
  try {
    const fdtd::CheckpointLabel label = fdtd::read_checkpoint_label(file);
    fdtd::read_checkpoint(file, label);
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  try {
    const fdtd::Recording recording = fdtd::read_result(file).recording;
    for (const auto* channels : {&recording.sources, &recording.receivers})
      for (const std::string& name : channel_names(*channels))
        if (!fdtd::is_printable(name)) std::abort();
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_both(fdtd::test::file_of(data, size));
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < fdtd::seal_bytes) return 0;
  const std::string_view unsealed = bytes.substr(0, size - fdtd::seal_bytes);
  const std::uint64_t length = fdtd::word_at(bytes.data() + size - 24);
  if (length > unsealed.size()) return 0;
  const std::string_view image = unsealed.substr(0, static_cast<std::size_t>(length));
  try {
    fdtd::H5Index index = fdtd::read_index(unsealed.substr(image.size()), length);
    const std::string forged = std::string(image) + fdtd::index_and_seal(image, index);
    read_both(fdtd::test::file_of(forged.data(), forged.size()));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
