#include "scenes/mesh/pffdtd_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/problem.hpp"
#include "scenes/mesh/json_fault.hpp"
#include "scenes/mesh/mesh_bytes.hpp"

namespace fdtd {
namespace {

using Json = nlohmann::json;  // ordered by name: its other kind takes time with the square of the members

// A refusal on its way to read_pffdtd_model.
struct Refused {
  std::string why;
};

[[noreturn]] void fail(const std::string& where, const std::string& what) { throw Refused{where + ": " + what}; }

const Json& member(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) fail(where, fmt::format("{} is missing", in_quotes(key)));
  return *found;
}

const Json& list(const Json& value, const std::string& where) {
  if (!value.is_array()) fail(where, "is not a list");
  return value;
}

double coordinate(const Json& value, const std::string& where) {
  const double x = value.is_number() ? value.get<double>() : std::nan("");
  if (!(std::abs(x) <= max_coordinate)) fail(where, "is not a coordinate");
  return x;
}

std::array<double, 3> position(const Json& value, const std::string& where) {
  if (list(value, where).size() != 3) fail(where, fmt::format("has {} numbers instead of 3", value.size()));
  std::array<double, 3> p{};
  for (std::size_t d = 0; d < 3; ++d) p[d] = coordinate(value[d], where);
  return p;
}

std::array<int, 3> colour_of(const Json& material) {
  std::array<int, 3> colour{};
  const auto found = material.find("color");
  if (found == material.end() || !found->is_array() || found->size() != 3) return colour;
  for (std::size_t i = 0; i < 3; ++i)
    if ((*found)[i].is_number()) colour[i] = static_cast<int>(std::clamp((*found)[i].get<double>(), 0.0, 255.0));
  return colour;
}

void add_material(PffdtdModel& model, const std::string& name, const Json& material) {
  const std::string where = "mats_hash." + in_quotes(name);
  if (!material.is_object()) fail(where, "is not an object with \"pts\" and \"tris\"");
  Mesh& mesh = model.mesh;
  const Json &points = list(member(material, "pts", where), where + ".pts"),
             &triangles = list(member(material, "tris", where), where + ".tris");
  if (triangles.empty()) return;
  if (mesh.triangles.size() + triangles.size() > max_mesh_facets ||
      mesh.vertices.size() + points.size() > 3 * max_mesh_facets)
    fail(where,
         fmt::format("with it there are more than {} triangles, or three times as many points", max_mesh_facets));
  if (mesh.materials.size() == max_mesh_materials)
    fail(where, fmt::format("is material number {}, which are too many", max_mesh_materials + 1));
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    mesh.vertices.push_back(position(points[i], fmt::format("{}.pts[{}]", where, i)));
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto at = [&] { return fmt::format("{}.tris[{}]", where, t); };
    const Json& one = triangles[t];
    if (!one.is_array() || one.size() != 3) fail(at(), "is not a list of three point numbers");
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double number = one[i].is_number() ? one[i].get<double>() : std::nan("");
      if (!(number >= 0.0 && number < static_cast<double>(points.size()) && number == std::floor(number)))
        fail(at(), fmt::format("its corner {} is none of the {} points", one[i].dump(), points.size()));
      corners[i] = first + static_cast<std::uint32_t>(number);
    }
    mesh.triangles.push_back(corners);
  }
  mesh.material.resize(mesh.triangles.size(), static_cast<std::uint16_t>(mesh.materials.size()));
  mesh.materials.push_back(name);
  model.colours.push_back(colour_of(material));
  const auto sides = material.find("sides");
  if (sides == material.end()) return;
  if (list(*sides, where + ".sides").size() != triangles.size())
    fail(where + ".sides", fmt::format("has {} numbers for {} triangles", sides->size(), triangles.size()));
  for (const Json& side : *sides)
    if (side == 1 || side == 2) ++model.one_sided;
}

std::vector<PffdtdModel::Point> points_of(const Json& root, const char* key) {
  std::vector<PffdtdModel::Point> points;
  const auto found = root.find(key);
  if (found == root.end() || found->is_null()) return points;
  for (std::size_t i = 0; i < list(*found, key).size(); ++i) {
    const std::string where = fmt::format("{}[{}]", key, i);
    const Json& one = (*found)[i];
    if (!one.is_object()) fail(where, "is not an object with \"xyz\" and \"name\"");
    PffdtdModel::Point point;
    point.position = position(member(one, "xyz", where), where + ".xyz");
    const auto name = one.find("name");
    if (name != one.end() && name->is_string()) point.name = name->get<std::string>();
    points.push_back(std::move(point));
  }
  return points;
}

PffdtdModel model_of(const Json& root) {
  PffdtdModel model;
  if (!root.is_object()) throw Refused{"it is no object with \"mats_hash\", \"sources\" and \"receivers\""};
  const auto materials = root.find("mats_hash");
  if (materials == root.end() || !materials->is_object())
    throw Refused{"it has no object \"mats_hash\", as PFFDTD's model_export.json has"};
  for (const auto& [name, material] : materials->items()) add_material(model, name, material);
  if (model.mesh.triangles.empty()) throw Refused{"mats_hash: no material has triangles"};
  model.sources = points_of(root, "sources");
  model.receivers = points_of(root, "receivers");
  merge_vertices(model.mesh);
  return model;
}

}  // namespace

std::optional<PffdtdModel> read_pffdtd_model(std::string_view text, std::string& why) {
  try {
    return model_of(Json::parse(text));
  } catch (const nlohmann::detail::exception& error) {
    why = json_fault(text, error);
  } catch (const Refused& refused) {
    why = refused.why;
  }
  return std::nullopt;
}

}  // namespace fdtd
