// Reads STL (3D Systems, StereoLithography Interface Specification, 1988): 50 bytes a facet, whose coordinates are in
// single precision, or the same as text, with as many digits as it has. Normals are skipped, because the corners
// determine them. The names of several solids are names of materials; that of a single one is most often the
// exporter's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

constexpr std::size_t header = 84, record = 50;
static_assert(std::endian::native == std::endian::little, "STL holds little-endian numbers, and so does this machine");

// The three corners added last are a triangle.
void close_facet(Mesh& mesh) {
  const auto end = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.triangles.push_back({end - 3, end - 2, end - 1});
}

std::optional<Mesh> read_binary(std::string_view bytes, std::string& why) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + header - 4, 4);
  if (count == 0) return refuse(why, "it has no facets");
  if (count > max_mesh_facets) return refuse(why, fmt::format("more than {} facets", max_mesh_facets));
  if (bytes.size() < header + record * count)
    return refuse(why, fmt::format("it is truncated: {} facets need {} bytes, and there are {}", count,
                                   header + record * count, bytes.size()));
  Mesh mesh;
  for (std::size_t f = 0; f < count; ++f) {
    std::array<float, 9> corners{};
    std::memcpy(corners.data(), bytes.data() + header + record * f + 12, sizeof corners);
    for (const float x : corners) {
      if (!(std::abs(static_cast<double>(x)) <= max_coordinate))
        return refuse(why, fmt::format("facet {}: {} is not a coordinate", f + 1, x));
    }
    for (std::size_t i = 0; i < 9; i += 3)
      mesh.vertices.push_back(
          {shortest_decimal(corners[i]), shortest_decimal(corners[i + 1]), shortest_decimal(corners[i + 2])});
    close_facet(mesh);
  }
  mesh.materials = {"default"};
  mesh.material.assign(mesh.triangles.size(), 0);
  return mesh;
}

// The words of a text, across lines.
class Words {
 public:
  explicit Words(std::string_view text) : lines_(text) {}
  std::string_view next() {
    for (;;) {
      if (const std::string_view word = take_word(line_); !word.empty()) return word;
      if (!lines_.next(line_)) return {};
    }
  }
  std::string_view rest_of_line() { return std::exchange(line_, {}); }
  std::size_t line() const { return lines_.number(); }

 private:
  Lines lines_;
  std::string_view line_;
};

bool same_word(std::string_view word, std::string_view known) {
  if (word.size() != known.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(word[i])) != known[i]) return false;
  }
  return true;
}

// The rest of a line as the name of a material; empty where it has none.
std::string name_in(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
  if (begin == line.npos) return {};
  std::string name(line.substr(begin, std::min<std::size_t>(end - begin + 1, max_material_name)));
  for (char& c : name) c = static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  return name;
}

bool add_facet(Words& words, Mesh& mesh, std::string& why) {
  const auto expect = [&](std::string_view known) {
    const std::string_view word = words.next();
    if (same_word(word, known)) return true;
    refuse_line(why, words.line(),
                word.empty() ? fmt::format("it ends where {} should be", known)
                             : fmt::format("{} where {} should be", in_quotes(word), known));
    return false;
  };
  if (!expect("normal")) return false;
  for (int d = 0; d < 3; ++d) words.next();  // any words: exporters write nan for facets without an area
  if (!expect("outer") || !expect("loop")) return false;
  for (int corner = 0; corner < 3; ++corner) {
    if (!expect("vertex")) return false;
    std::array<double, 3> point{};
    for (double& along : point) {
      const std::string_view written = words.next();
      const auto x = finite_number(written);
      if (!x || !(std::abs(*x) <= max_coordinate)) {
        refuse_line(why, words.line(), fmt::format("{} is not a coordinate", in_quotes(written)));
        return false;
      }
      along = *x;
    }
    mesh.vertices.push_back(point);
  }
  close_facet(mesh);
  return expect("endloop") && expect("endfacet");
}

std::optional<Mesh> read_text(std::string_view bytes, std::string& why) {
  Mesh mesh;
  std::vector<std::pair<std::size_t, std::string>> solids;  // their first facets, and names
  std::set<std::string> names;
  Words words(bytes);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (same_word(word, "endsolid")) {
      words.rest_of_line();  // the name again
    } else if (same_word(word, "solid")) {
      solids.emplace_back(mesh.triangles.size(), name_in(words.rest_of_line()));
      names.insert(solids.back().second);
      if (names.size() > max_mesh_materials)
        return refuse(why, fmt::format("solids of more than {} names", max_mesh_materials));
    } else if (!same_word(word, "facet")) {
      return refuse_line(why, words.line(), fmt::format("{} where a facet should be", in_quotes(word)));
    } else if (!add_facet(words, mesh, why)) {
      return std::nullopt;
    } else if (mesh.triangles.size() > max_mesh_facets) {
      return refuse(why, fmt::format("more than {} facets", max_mesh_facets));
    }
  }
  if (mesh.triangles.empty()) return refuse(why, "it has no facets");
  if (names.size() < 2) solids = {{0, ""}};
  MaterialNumbers materials(mesh);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const std::size_t end = i + 1 < solids.size() ? solids[i + 1].first : mesh.triangles.size();
    if (end == solids[i].first) continue;
    mesh.material.resize(end, materials.number_of(as_utf8(solids[i].second)).value());
  }
  return mesh;
}

}  // namespace

std::optional<Mesh> read_stl(std::string_view bytes, std::string& why) {
  // Many binary files begin with "solid" as well; their length identifies them.
  std::uint32_t count = 0;
  if (bytes.size() >= header) std::memcpy(&count, bytes.data() + header - 4, 4);
  if (bytes.size() >= header && bytes.size() == header + record * std::size_t{count}) return read_binary(bytes, why);
  std::string_view begin = bytes.substr(0, std::min<std::size_t>(80, bytes.find_first_of("\r\n")));
  const bool text = same_word(take_word(begin), "solid") && bytes.substr(0, 512).find('\0') == bytes.npos;
  if (text) return read_text(bytes, why);
  if (bytes.size() < header)
    return refuse(why, "it is neither binary STL (84 bytes and more) nor text (\"solid ...\")");
  return read_binary(bytes, why);
}

}  // namespace fdtd
