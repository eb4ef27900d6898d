// read_pffdtd_model: any bytes are a model that fits its own counts, or are told why they are none.
#include "scenes/mesh/pffdtd_model.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string why;
  const auto model = fdtd::read_pffdtd_model({reinterpret_cast<const char*>(data), size}, why);
  if (!model) {
    if (why.empty()) std::abort();
    return 0;
  }
  const fdtd::Mesh& mesh = model->mesh;
  if (mesh.triangles.empty() || mesh.material.size() != mesh.triangles.size() ||
      model->colours.size() != mesh.materials.size())
    std::abort();
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle)
      if (corner >= mesh.vertices.size()) std::abort();
  return 0;
}
