// read_material_file, for the ending FDTD_FUZZ_ENDING: any bytes are a material, or are told why they are none.
#include "scenes/toml/material_file.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string why;
  const auto material = fdtd::read_material_file(fdtd::test::file_of(data, size, FDTD_FUZZ_ENDING), why);
  if (!material && why.empty()) std::abort();
  if (material && material->bands.size() != material->alpha.size()) std::abort();
  return 0;
}
