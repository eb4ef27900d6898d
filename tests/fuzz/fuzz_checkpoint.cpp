// read_checkpoint and read_result: any bytes are what they claim to be or an error of status file. The seal (h5_seal.hpp) is
// judged first, so that what reaches HDF5 is what this program wrote.
#include "engine/checkpoint.hpp"
#include "engine/error.hpp"
#include "engine/result.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fdtd::test::file_of(data, size);
  try {
    const fdtd::CheckpointLabel label = fdtd::read_checkpoint_label(file);
    fdtd::read_checkpoint(file, label);
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  try {
    fdtd::read_result(file);
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  return 0;
}
