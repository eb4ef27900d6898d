// Validates OBJ (Wavefront, appendix B1 of the Advanced Visualizer manual): keeps v, f and usemtl.
#include <fmt/format.h>

#include <iterator>
#include <set>

#include "scenes/mesh_bytes.hpp"
#include "scenes/problem.hpp"

namespace fdtd {
namespace {

struct Obj {
  std::string out;
  std::size_t vertices = 0, facets = 0;
  std::set<std::string, std::less<>> materials;
  std::string& why;

  bool vertex(std::string_view line, std::size_t number);
  bool facet(std::string_view line, std::size_t number);
  bool material(std::string_view line, std::size_t number);
  bool fail(std::size_t number, const std::string& reason) {
    refuse_line(why, number, reason);
    return false;
  }
};

bool Obj::vertex(std::string_view line, std::size_t number) {
  out += 'v';
  for (int d = 0; d < 3; ++d) {
    const std::string_view word = take_word(line);
    if (word.empty()) return fail(number, "a vertex needs three coordinates");
    const auto x = finite_number(word);
    if (!x || !(std::abs(*x) <= max_coordinate))
      return fail(number, fmt::format("{} is not a coordinate", in_quotes(word)));
    fmt::format_to(std::back_inserter(out), " {:.9g}", *x);
  }
  out += '\n';
  ++vertices;
  return true;
}

// Corners are vertex, vertex/texture, vertex//normal or vertex/texture/normal; from 1, or from -1 backwards.
bool Obj::facet(std::string_view line, std::size_t number) {
  std::size_t corners = 0;
  out += 'f';
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    const auto index = whole_number(word.substr(0, word.find('/')));
    if (!index) return fail(number, fmt::format("{} is not a corner of a facet", in_quotes(word)));
    const auto count = static_cast<long long>(vertices);
    const long long from_one = *index < 0 ? count + *index + 1 : *index;
    if (from_one < 1 || from_one > count)
      return fail(number, fmt::format("vertex {} of a facet: there are {} before it", *index, count));
    if (++corners > max_corners) return fail(number, fmt::format("a polygon of more than {} corners", max_corners));
    fmt::format_to(std::back_inserter(out), " {}", from_one);
  }
  if (corners < 3) return fail(number, "a facet needs three corners or more");
  out += '\n';
  if (++facets > max_mesh_facets) return fail(number, fmt::format("more than {} facets", max_mesh_facets));
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
  if (materials.find(name) == materials.end()) {
    if (materials.size() == max_mesh_materials)
      return fail(number, fmt::format("more than {} materials", max_mesh_materials));
    materials.emplace(name);
  }
  out += fmt::format("usemtl {}\n", name);
  return true;
}

}  // namespace

std::optional<std::string> reduced_obj(std::string_view bytes, std::string& why) {
  Obj obj{{}, 0, 0, {}, why};
  obj.out.reserve(bytes.size());
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
  if (obj.facets == 0) return refuse(why, "it has no facets: an OBJ text has lines \"f 1 2 3\"");
  return std::move(obj.out);
}

}  // namespace fdtd
