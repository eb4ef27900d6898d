// Reads glTF 2.0 (Khronos Group, ISO/IEC 12113:2022) as text with its buffers beside it or inside, and as one binary
// file (GLB): the triangles of its scene, nodes applied, with the names of their materials.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/problem.hpp"
#include "scenes/mesh/gltf_bytes.hpp"
#include "scenes/mesh/json_fault.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Gltf {
 public:
  Gltf(const Json& root, std::string_view binary, fs::path file)
      : root_(root), binary_(binary), file_(std::move(file)) {}
  Mesh read();

 private:
  struct Part {
    MeshShape shape;
    std::string material, where;
  };
  struct View {
    std::string_view bytes;
    std::size_t stride = 0, count = 0, component = 0;
    bool normalized = false;
  };
  const Json* list(const char* key) const {
    const auto found = root_.find(key);
    if (found == root_.end()) return nullptr;
    if (!found->is_array()) refuse_gltf(key, "is not a list");
    return &*found;
  }
  const Json& entry(const char* key, std::size_t number, const std::string& from) const {
    const Json* const all = list(key);
    if (all == nullptr || number >= all->size()) refuse_gltf(from, fmt::format("{}[{}] does not exist", key, number));
    if (!(*all)[number].is_object()) refuse_gltf(fmt::format("{}[{}]", key, number), "is not an object");
    return (*all)[number];
  }
  static std::optional<std::size_t> number(const Json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    const double value = found->is_number() ? found->get<double>() : -1.0;
    if (!(value >= 0.0 && value <= 4294967295.0 && value == std::floor(value)))
      refuse_gltf(where + "." + key, "is not a whole number from 0 on");
    return static_cast<std::size_t>(value);
  }
  static std::size_t needed(const Json& object, const char* key, const std::string& where) {
    const auto value = number(object, key, where);
    if (!value) refuse_gltf(where, fmt::format("{} is missing", in_quotes(key)));
    return *value;
  }
  std::string_view buffer(std::size_t number);
  std::string load(const Json& uri, const std::string& where);
  View view(std::size_t accessor, const char* type, std::size_t components, const std::string& from);
  std::vector<std::uint32_t> corners(const Json& primitive, std::size_t vertices, const std::string& where);
  void read_part(const Json& primitive, const std::string& where, std::vector<Part>& parts);
  const std::vector<Part>& parts_of(std::size_t mesh, const std::string& from);
  Placement placement(const Json& node, const std::string& where) const;
  void add_node(std::size_t number, const Placement& outer, const std::string& from, int depth);

  const Json& root_;
  std::string_view binary_;
  fs::path file_;
  std::map<std::size_t, std::string> buffers_;
  std::size_t loaded_ = 0, facets_ = 0;
  std::map<std::size_t, std::vector<Part>> meshes_;
  std::set<std::size_t> seen_;
  MeshBuilder builder_;
};

// A buffer lies in the file or in a file of its folder, whatever a model from somewhere else names.
std::string Gltf::load(const Json& uri, const std::string& where) {
  if (!uri.is_string()) refuse_gltf(where, "its uri is no text");
  const auto& text = uri.get_ref<const std::string&>();
  if (text.starts_with("data:")) {
    const std::size_t comma = text.find(',');
    if (comma == text.npos || !std::string_view(text).substr(0, comma).ends_with(";base64"))
      refuse_gltf(where, "its data are not in base64");
    return from_base64(std::string_view(text).substr(comma + 1), where);
  }
  const fs::path name = without_escapes(text);
  const bool climbs = std::any_of(name.begin(), name.end(), [](const fs::path& part) { return part == ".."; });
  const bool scheme = text.find(':') != text.npos;
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(file_).parent_path(), error),
                 target = fs::weakly_canonical(folder / name, error), within = target.lexically_relative(folder);
  if (name.empty() || name.is_absolute() || climbs || scheme || error || within.empty() || *within.begin() == "..")
    refuse_gltf(where, fmt::format("{} is no file in the folder of the model; put it there, or export one .glb file",
                                   in_quotes(text)));
  std::string why;
  auto bytes = read_bytes(target, max_mesh_bytes - loaded_, why);
  if (!bytes) refuse_gltf(where, in_quotes(text) + ": " + why);
  return std::move(*bytes);
}

std::string_view Gltf::buffer(std::size_t number) {
  const std::string where = fmt::format("buffers[{}]", number);
  const Json& one = entry("buffers", number, "bufferViews");
  const std::size_t length = needed(one, "byteLength", where);
  const auto uri = one.find("uri");
  std::string_view bytes = binary_;
  if (uri != one.end()) {
    auto known = buffers_.find(number);
    if (known == buffers_.end()) {
      known = buffers_.emplace(number, load(*uri, where)).first;
      loaded_ += known->second.size();
      if (loaded_ > max_mesh_bytes)
        refuse_gltf(where, fmt::format("buffers of more than {} MiB", max_mesh_bytes >> 20));
    }
    bytes = known->second;
  } else if (number != 0 || binary_.empty()) {
    refuse_gltf(where, "it has no uri, and there is no binary chunk for it");
  }
  if (bytes.size() < length) refuse_gltf(where, fmt::format("it is truncated: {} bytes of {}", bytes.size(), length));
  return bytes.substr(0, length);
}

Gltf::View Gltf::view(std::size_t accessor, const char* type, std::size_t components, const std::string& from) {
  const std::string where = fmt::format("accessors[{}]", accessor);
  const Json& one = entry("accessors", accessor, from);
  if (one.value("type", Json()) != type) refuse_gltf(where, fmt::format("its type is not {}", type));
  if (one.contains("sparse")) refuse_gltf(where, "it is sparse, which is not read: export the mesh without shape keys");
  View view;
  view.component = needed(one, "componentType", where);
  view.count = needed(one, "count", where);
  view.normalized = one.value("normalized", Json(false)) == true;
  if (!one.contains("bufferView"))
    refuse_gltf(where, "it has no bufferView; if the geometry is compressed, export it without compression");
  const std::size_t number_of_view = needed(one, "bufferView", where);
  const std::string at = fmt::format("bufferViews[{}]", number_of_view);
  const Json& slice = entry("bufferViews", number_of_view, where);
  const std::string_view bytes = buffer(needed(slice, "buffer", at));
  const std::size_t begin = number(slice, "byteOffset", at).value_or(0), length = needed(slice, "byteLength", at);
  if (begin > bytes.size() || length > bytes.size() - begin)
    refuse_gltf(at, fmt::format("bytes {} to {} of a buffer of {}", begin, begin + length, bytes.size()));
  const std::size_t size = bytes_of_component(view.component, where) * components,
                    offset = number(one, "byteOffset", where).value_or(0);
  view.stride = number(slice, "byteStride", at).value_or(size);
  if (view.stride < size) refuse_gltf(at, fmt::format("its byteStride {} is less than an element", view.stride));
  // In 64 bits: the factors have 32.
  if (view.count == 0 || offset + (view.count - 1) * view.stride + size > length)
    refuse_gltf(where, fmt::format("{} elements of {} bytes from byte {} on in a bufferView of {} bytes", view.count,
                                   view.stride, offset, length));
  view.bytes = bytes.substr(begin + offset, (view.count - 1) * view.stride + size);
  return view;
}

// Three for each triangle.
std::vector<std::uint32_t> Gltf::corners(const Json& primitive, std::size_t vertices, const std::string& where) {
  std::vector<std::uint32_t> order;
  if (const auto indices = number(primitive, "indices", where)) {
    const View view = this->view(*indices, "SCALAR", 1, where);
    const std::string at = fmt::format("accessors[{}]", *indices);
    if (view.component != 5121 && view.component != 5123 && view.component != 5125)
      refuse_gltf(at, "indices must be unsigned whole numbers");
    if (view.count > 3 * max_mesh_facets) refuse_gltf(at, fmt::format("more than {} facets", max_mesh_facets));
    for (std::size_t i = 0; i < view.count; ++i) {
      order.push_back(whole_at(view.bytes, i * view.stride, bytes_of_component(view.component, at)));
      if (order.back() >= vertices)
        refuse_gltf(at, fmt::format("its element {} is vertex {}: there are {}", i, order.back(), vertices));
    }
  } else {
    if (vertices > 3 * max_mesh_facets) refuse_gltf(where, fmt::format("more than {} facets", max_mesh_facets));
    for (std::size_t i = 0; i < vertices; ++i) order.push_back(static_cast<std::uint32_t>(i));
  }
  const std::size_t mode = number(primitive, "mode", where).value_or(4);
  if (mode < 4) return {};  // points and lines
  if (mode > 6) refuse_gltf(where, fmt::format("its mode {} is unknown", mode));
  if (mode == 4) {
    if (order.size() % 3 != 0)
      refuse_gltf(where, fmt::format("{} corners are no whole number of triangles", order.size()));
    return order;
  }
  std::vector<std::uint32_t> three;  // of a strip or a fan
  for (std::size_t i = 2; i < order.size(); ++i) {
    const std::uint32_t a = mode == 6 ? order[0] : order[i - 2], b = order[i - 1];
    const bool swap = mode == 5 && i % 2 == 1;
    three.insert(three.end(), {swap ? b : a, swap ? a : b, order[i]});
  }
  return three;
}

void Gltf::read_part(const Json& primitive, const std::string& where, std::vector<Part>& parts) {
  if (!primitive.is_object()) refuse_gltf(where, "is not an object");
  const auto attributes = primitive.find("attributes");
  if (attributes == primitive.end() || !attributes->is_object()) refuse_gltf(where, "has no attributes");
  const auto extensions = primitive.find("extensions");
  if (extensions != primitive.end() && extensions->contains("KHR_draco_mesh_compression"))
    refuse_gltf(where, "its geometry is compressed (KHR_draco_mesh_compression): export it without compression");
  const std::size_t accessor = needed(*attributes, "POSITION", where);
  const View positions = view(accessor, "VEC3", 3, where);
  const std::vector<std::uint32_t> order = corners(primitive, positions.count, where);
  facets_ += order.size() / 3;
  if (facets_ > max_mesh_facets)
    refuse_gltf(where, fmt::format("with it there are more than {} facets", max_mesh_facets));
  // Only vertices in use: several parts may share one long list.
  std::vector<std::uint32_t> used = order;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  Part part{{}, "", where};
  for (const std::uint32_t vertex : used) {
    std::array<double, 3> p{};
    for (std::size_t d = 0; d < 3; ++d) {
      p[d] =
          coordinate_at(positions.bytes, vertex * positions.stride + d * bytes_of_component(positions.component, where),
                        positions.component, positions.normalized);
      if (!(std::abs(p[d]) <= max_coordinate))
        refuse_gltf(fmt::format("accessors[{}]", accessor),
                    fmt::format("element {}: {} is not a coordinate", vertex, p[d]));
    }
    part.shape.vertices.push_back(p);
  }
  const auto place = [&](std::uint32_t vertex) {
    return static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), vertex) - used.begin());
  };
  for (std::size_t i = 0; i + 2 < order.size(); i += 3)
    part.shape.triangles.push_back({place(order[i]), place(order[i + 1]), place(order[i + 2])});
  if (const auto material = number(primitive, "material", where)) {
    const Json& one = entry("materials", *material, where);
    const auto name = one.find("name");
    part.material = name != one.end() && name->is_string() ? name->get<std::string>() : "";
    if (part.material.empty()) part.material = fmt::format("material {}", *material);
  }
  parts.push_back(std::move(part));
}

const std::vector<Gltf::Part>& Gltf::parts_of(std::size_t mesh, const std::string& from) {
  const auto known = meshes_.find(mesh);
  if (known != meshes_.end()) return known->second;
  const std::string where = fmt::format("meshes[{}]", mesh);
  const Json& one = entry("meshes", mesh, from);
  const auto primitives = one.find("primitives");
  if (primitives == one.end() || !primitives->is_array()) refuse_gltf(where, "has no primitives");
  std::vector<Part>& parts = meshes_[mesh];
  for (std::size_t i = 0; i < primitives->size(); ++i)
    read_part((*primitives)[i], fmt::format("{}.primitives[{}]", where, i), parts);
  return parts;
}

Placement Gltf::placement(const Json& node, const std::string& where) const {
  const auto numbers = [&](const char* key, std::vector<double> values) {
    const auto found = node.find(key);
    if (found == node.end()) return values;
    if (!found->is_array() || found->size() != values.size())
      refuse_gltf(where + "." + key, fmt::format("is not a list of {} numbers", values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (*found)[i].is_number() ? (*found)[i].get<double>() : std::nan("");
      if (!std::isfinite(values[i])) refuse_gltf(where + "." + key, "has a value that is no finite number");
    }
    return values;
  };
  Placement result{};
  if (node.contains("matrix")) {
    const auto m = numbers("matrix", std::vector<double>(16));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) result[i][j] = m[4 * j + i];
    return result;
  }
  const auto t = numbers("translation", {0, 0, 0}), s = numbers("scale", {1, 1, 1}),
             q = numbers("rotation", {0, 0, 0, 1});
  const double x = q[0], y = q[1], z = q[2], w = q[3], norm = x * x + y * y + z * z + w * w;
  if (!(norm > 1e-12 && norm < 1e12)) refuse_gltf(where + ".rotation", "is no rotation");
  const double two = 2.0 / norm;
  const std::array<std::array<double, 3>, 3> r = {
      {{1 - two * (y * y + z * z), two * (x * y - z * w), two * (x * z + y * w)},
       {two * (x * y + z * w), 1 - two * (x * x + z * z), two * (y * z - x * w)},
       {two * (x * z - y * w), two * (y * z + x * w), 1 - two * (x * x + y * y)}}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      // Quaternions have single precision in most files: a quarter turn is meant exactly.
      const double whole = std::round(r[i][j]);
      result[i][j] = (std::abs(r[i][j] - whole) < 1e-6 ? whole : r[i][j]) * s[j];
    }
    result[i][3] = t[i];
  }
  return result;
}

void Gltf::add_node(std::size_t number_of_node, const Placement& outer, const std::string& from, int depth) {
  constexpr int deepest = 200;
  const std::string where = fmt::format("nodes[{}]", number_of_node);
  const Json& node = entry("nodes", number_of_node, from);
  if (!seen_.insert(number_of_node).second) refuse_gltf(where, "is in the scene twice, or below itself");
  if (depth > deepest) refuse_gltf(where, fmt::format("is nested deeper than {}", deepest));
  const auto extensions = node.find("extensions");
  if (extensions != node.end() && extensions->contains("EXT_mesh_gpu_instancing"))
    refuse_gltf(where, "it has instances (EXT_mesh_gpu_instancing), which are not read: export objects of their own");
  const Placement here = outer * placement(node, where);
  if (const auto mesh = number(node, "mesh", where)) {
    for (const Part& part : parts_of(*mesh, where)) builder_.add(part.shape, here, part.material, part.where);
  }
  const auto children = node.find("children");
  if (children == node.end()) return;
  if (!children->is_array()) refuse_gltf(where + ".children", "is not a list");
  for (const Json& child : *children) {
    if (!child.is_number_unsigned()) refuse_gltf(where + ".children", "has a value that is no number of a node");
    add_node(child.get<std::size_t>(), here, where, depth + 1);
  }
}

Mesh Gltf::read() {
  if (!root_.is_object() || !root_.contains("asset") || !root_["asset"].is_object())
    refuse_gltf("", "it is no glTF: it has no object \"asset\"");
  const Json version = root_["asset"].value("version", Json());
  if (!version.is_string() || !version.get_ref<const std::string&>().starts_with("2."))
    refuse_gltf("asset.version", "is not 2.0: export glTF 2.0");
  if (const Json* const required = list("extensionsRequired")) {
    for (const Json& one : *required)
      for (const char* known : {"KHR_draco_mesh_compression", "EXT_meshopt_compression"})
        if (one == known)
          refuse_gltf("", fmt::format("its geometry is compressed ({}): export it without compression", known));
  }
  const std::size_t scene = number(root_, "scene", "").value_or(0);
  if (list("scenes") != nullptr) {
    const std::string where = fmt::format("scenes[{}]", scene);
    const Json roots = entry("scenes", scene, "scene").value("nodes", Json::array());
    if (!roots.is_array()) refuse_gltf(where + ".nodes", "is not a list");
    for (const Json& node : roots) {
      if (!node.is_number_unsigned()) refuse_gltf(where + ".nodes", "has a value that is no number of a node");
      add_node(node.get<std::size_t>(), in_place, where, 0);
    }
  } else if (const Json* const meshes = list("meshes")) {  // a library of meshes: each once, where it is
    for (std::size_t m = 0; m < meshes->size(); ++m)
      for (const Part& part : parts_of(m, "")) builder_.add(part.shape, in_place, part.material, part.where);
  }
  Mesh mesh = std::move(builder_.mesh());
  if (mesh.triangles.empty()) refuse_gltf("", "its scene has no triangles");
  mesh.stated_units.assign(1, 'm');  // by the format
  // By the format y is up; trimesh writes coordinates as they are in memory, mostly with z up, and states no axis.
  const Json generator = root_["asset"].value("generator", Json());
  if (!generator.is_string() || generator.get_ref<const std::string&>().find("trimesh") == std::string::npos)
    mesh.stated_up.assign(1, 'y');
  return mesh;
}

}  // namespace

std::optional<Mesh> read_gltf(std::string_view bytes, const fs::path& file, std::string& why) {
  try {
    const GltfChunks chunks = gltf_chunks(bytes);
    judge_json_size(chunks.json);
    const Json root = Json::parse(chunks.json);
    return Gltf(root, chunks.binary, file).read();
  } catch (const MeshRefused& refused) {
    return refuse(why, refused.why);
  } catch (const nlohmann::detail::exception& error) {
    return refuse(why, "its JSON: " + json_fault(gltf_chunks(bytes).json, error));
  }
}

}  // namespace fdtd
