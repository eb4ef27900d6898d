// read_audio: any bytes are audio or an error of status file.
#include "base/error.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const fdtd::Audio audio = fdtd::read_audio(fdtd::test::file_of(data, size));
    // No more samples than the bytes can hold: a byte a sample at the least, but for compressed kinds.
    if (audio.channels.empty()) std::abort();
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  return 0;
}
