// load_stencil: any bytes are weights that pass the catalogue's checks, or are told as problems.
#include "scenes/toml/stencil_file.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fdtd::StencilFile file = fdtd::load_stencil(fdtd::test::file_of(data, size, "toml"));
  if (file.problems.empty() &&
      (file.stencil.shells.empty() || file.stencil.shells.size() != file.stencil.weights.size()))
    std::abort();
  return 0;
}
