// open_flac, read_all: any bytes are audio or an error of status file.
#include "base/error.hpp"
#include "engine/files/flac_read.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fdtd::InputFile file(fdtd::test::file_of(data, size));
  try {
    const fdtd::Audio audio = fdtd::read_all(*fdtd::open_flac(std::move(file)));
    for (const auto& channel : audio.channels)
      if (channel.size() != audio.channels[0].size()) std::abort();
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  return 0;
}
