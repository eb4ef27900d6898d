// The bytes of glTF files: the chunks of a GLB file, JSON that is refused where it would take far more memory than its
// text, base64, URIs, and little-endian numbers. All throw MeshRefused, with the place in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fdtd {

[[noreturn]] void refuse_gltf(const std::string& where, const std::string& what);

struct GltfChunks {
  std::string_view json, binary;
};
// The chunks of a GLB file; a text is all JSON.
GltfChunks gltf_chunks(std::string_view bytes);
// Refuses a text of JSON that would take far more memory as values than as text.
void judge_json_size(std::string_view text);
std::string from_base64(std::string_view text, const std::string& where);
std::string without_escapes(std::string_view uri);  // of the form %20

// `component`: a componentType of glTF. Bytes of one.
std::size_t bytes_of_component(std::size_t component, const std::string& where);
// The unsigned whole number of `size` bytes, 1 to 4.
std::uint32_t whole_at(std::string_view bytes, std::size_t at, std::size_t size);
// A float as the shortest decimal number that reads as it: 5.1, as a scene or an OBJ file has it. Whole numbers as
// KHR_mesh_quantization has them.
double coordinate_at(std::string_view bytes, std::size_t at, std::size_t component, bool normalized);

}  // namespace fdtd
