// Reads OBJ (Wavefront, appendix B1 of the Advanced Visualizer manual): v, f and usemtl.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

struct Obj {
  Mesh mesh;
  MaterialNumbers materials{mesh};
  std::string material_name;           // of the facets that follow
  std::optional<std::uint16_t> named;  // its number, once a facet has it
  std::vector<std::uint32_t> corners;
  std::string& why;

  explicit Obj(std::string& reason) : why(reason) {}
  bool vertex(std::string_view line, std::size_t number);
  bool facet(std::string_view line, std::size_t number);
  bool material(std::string_view line, std::size_t number);
  bool fail(std::size_t number, const std::string& reason) {
    refuse_line(why, number, reason);
    return false;
  }
};

bool Obj::vertex(std::string_view line, std::size_t number) {
  std::array<double, 3> point{};
  for (double& along : point) {
    const std::string_view word = take_word(line);
    if (word.empty()) return fail(number, "a vertex needs three coordinates");
    const auto x = finite_number(word);
    if (!x || !(std::abs(*x) <= max_coordinate))
      return fail(number, fmt::format("{} is not a coordinate", in_quotes(word)));
    along = *x;
  }
  mesh.vertices.push_back(point);
  return true;
}

// Corners are vertex, vertex/texture, vertex//normal or vertex/texture/normal; from 1, or from -1 backwards.
bool Obj::facet(std::string_view line, std::size_t number) {
  corners.clear();
  const auto count = static_cast<long long>(mesh.vertices.size());
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    const auto index = whole_number(word.substr(0, word.find('/')));
    if (!index) return fail(number, fmt::format("{} is not a corner of a facet", in_quotes(word)));
    const long long from_one = *index < 0 ? count + *index + 1 : *index;
    if (from_one < 1 || from_one > count)
      return fail(number, fmt::format("vertex {} of a facet: there are {} before it", *index, count));
    if (corners.size() == max_corners)
      return fail(number, fmt::format("a polygon of more than {} corners", max_corners));
    corners.push_back(static_cast<std::uint32_t>(from_one - 1));
  }
  if (corners.size() < 3) return fail(number, "a facet needs three corners or more");
  triangulate(mesh.vertices, corners, mesh.triangles);
  if (mesh.triangles.size() > max_mesh_facets) return fail(number, fmt::format("more than {} facets", max_mesh_facets));
  if (!named) named = materials.number_of(material_name);
  if (!named) return fail(number, fmt::format("more than {} materials", max_mesh_materials));
  mesh.material.resize(mesh.triangles.size(), *named);
  return true;
}

bool Obj::material(std::string_view line, std::size_t number) {
  const std::size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
  if (begin == line.npos) return fail(number, "usemtl needs a name");
  const std::string_view name = line.substr(begin, end - begin + 1);
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) return fail(number, "a control character in a material's name");
  }
  if (name.size() > max_material_name)
    return fail(number, fmt::format("a material's name of more than {} bytes", max_material_name));
  material_name = as_utf8(name);
  named.reset();
  return true;
}

}  // namespace

std::optional<Mesh> read_obj(std::string_view bytes, std::string& why) {
  Obj obj(why);
  Lines lines(bytes);
  std::string joined;
  for (std::string_view line; lines.next(line);) {
    const std::size_t number = lines.number();
    if (line.find('\0') != line.npos) return refuse_line(why, number, "a NUL byte: this is no OBJ text");
    if (line.ends_with('\\')) {  // continues on the next line
      joined.clear();
      while (line.ends_with('\\')) {
        joined.append(line.substr(0, line.size() - 1)).append(" ");
        if (!lines.next(line)) line = {};
      }
      line = joined.append(line);
    }
    line = line.substr(0, line.find('#'));
    const std::string_view key = take_word(line);
    if (key == "v" && !obj.vertex(line, number)) return std::nullopt;
    if (key == "f" && !obj.facet(line, number)) return std::nullopt;
    if (key == "usemtl" && !obj.material(line, number)) return std::nullopt;
  }
  if (obj.mesh.triangles.empty()) return refuse(why, "it has no facets: an OBJ text has lines \"f 1 2 3\"");
  obj.mesh.stated_units = stated_units(bytes);
  return std::move(obj.mesh);
}

}  // namespace fdtd
