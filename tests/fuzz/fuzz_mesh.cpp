// read_mesh, for the format FDTD_FUZZ_ENDING: any bytes are a mesh that fits its own counts, or are told why they are
// none.
#include <cmath>

#include "scenes/mesh/mesh.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string why;
  const auto mesh = fdtd::read_mesh(fdtd::test::file_of(data, size, FDTD_FUZZ_ENDING), {}, why);
  if (!mesh) {
    if (why.empty()) std::abort();
    return 0;
  }
  if (mesh->triangles.empty() || mesh->material.size() != mesh->triangles.size()) std::abort();
  for (const auto& triangle : mesh->triangles)
    for (const std::uint32_t corner : triangle)
      if (corner >= mesh->vertices.size()) std::abort();
  for (const std::uint16_t material : mesh->material)
    if (material >= mesh->materials.size()) std::abort();
  for (const auto& vertex : mesh->vertices)
    for (const double x : vertex)
      if (!std::isfinite(x)) std::abort();
  return 0;
}
