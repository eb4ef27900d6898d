// Reads DXF text (Autodesk, DXF Reference): 3DFACE, polyface and polygon meshes (POLYLINE), and blocks of them placed
// by INSERT. A layer is a material. Lines and solids are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/problem.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

// The groups of one entity, as far as shapes need them; the last of each code.
struct Entity {
  std::string kind, layer = "0", name;
  std::map<int, double> values;
  std::size_t line = 0;

  double value(int code, double otherwise = 0.0) const {
    const auto found = values.find(code);
    return found == values.end() ? otherwise : found->second;
  }
  int flags(int code) const { return static_cast<int>(std::clamp(value(code), -2e9, 2e9)); }
  Point point(int code) const { return {value(code), value(code + 10), value(code + 20)}; }
};

struct Insert {
  std::string block, layer, where;
  std::vector<Placement> placements;
};
struct Surface {
  std::string layer, where;
  MeshShape shape;
};
struct Block {
  Point base{};
  std::vector<Surface> surfaces;
  std::vector<Insert> inserts;
};

[[noreturn]] void fail(std::size_t line, const std::string& what) {
  throw MeshRefused{fmt::format("line {}: {}", line, what)};
}

class Dxf {
 public:
  explicit Dxf(std::string_view bytes) : lines_(bytes) {}
  Mesh read();

 private:
  bool next_group();
  bool next_entity(Entity& entity);
  void read_header();
  void read_polyline(const Entity& head, Block& into);
  void add_face(const Entity& face, Block& into);
  void add_insert(const Entity& insert, Block& into);
  void add_facets(Surface& surface, std::vector<std::uint32_t> corners, std::size_t line);
  void place(const Block& block, const Placement& placement, const std::string& layer, int depth);

  Lines lines_;
  int code_ = 0;
  std::string_view text_;
  bool held_ = false;  // the present group has not been used
  std::size_t facets_ = 0;
  std::map<std::string, Block> blocks_;
  Block entities_;
  MeshBuilder builder_;
  ObjectCount count_;
  std::string units_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

bool Dxf::next_group() {
  if (held_) {
    held_ = false;
    return true;
  }
  std::string_view line;
  if (!lines_.next(line)) return false;
  const std::string_view word = trimmed(line);
  const auto code = whole_number(word);
  if (!code || *code < -5 || *code > 1071)
    fail(lines_.number(), fmt::format("{} is no code of a group", in_quotes(word)));
  code_ = static_cast<int>(*code);
  if (!lines_.next(line)) fail(lines_.number(), "the file ends within a group: it is truncated");
  text_ = trimmed(line);
  return true;
}

bool Dxf::next_entity(Entity& entity) {
  do {
    if (!next_group()) fail(lines_.number(), "the file ends within a section: it is truncated");
  } while (code_ != 0);
  if (text_ == "ENDSEC" || text_ == "EOF") return false;
  entity = {};
  entity.kind = text_;
  entity.line = lines_.number();
  while (next_group()) {
    if (code_ == 0) {
      held_ = true;
      return true;
    }
    if (code_ == 8) entity.layer = text_;
    if (code_ == 2) entity.name = text_;
    const bool number = (code_ >= 10 && code_ <= 59) || (code_ >= 60 && code_ <= 79) || (code_ >= 210 && code_ <= 239);
    if (!number || entity.kind == "3DSOLID" || entity.kind == "HATCH") continue;
    const auto value = finite_number(text_);
    if (!value || !(std::abs(*value) <= 1e15))
      fail(lines_.number(), fmt::format("{} is no finite number", in_quotes(text_)));
    entity.values[code_] = *value;
  }
  fail(lines_.number(), "the file ends within a section: it is truncated");
}

// $INSUNITS: the unit of the drawing.
void Dxf::read_header() {
  bool units = false;
  while (next_group()) {
    if (code_ == 0) {
      held_ = true;
      return;
    }
    if (code_ == 9) units = text_ == "$INSUNITS";
    if (!units || code_ != 70) continue;
    const std::map<std::string_view, const char*> known = {
        {"1", "in"}, {"2", "ft"}, {"4", "mm"}, {"5", "cm"}, {"6", "m"}};
    const auto found = known.find(text_);
    if (found != known.end()) units_ = found->second;
  }
}

void Dxf::add_facets(Surface& surface, std::vector<std::uint32_t> corners, std::size_t line) {
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    return surface.shape.vertices[a] == surface.shape.vertices[b];
  };
  corners.erase(std::unique(corners.begin(), corners.end(), same), corners.end());
  while (corners.size() > 1 && same(corners.front(), corners.back())) corners.pop_back();
  if (corners.size() < 3) return;
  facets_ += corners.size() - 2;
  if (facets_ > max_mesh_facets) fail(line, fmt::format("more than {} facets", max_mesh_facets));
  triangulate(surface.shape.vertices, corners, surface.shape.triangles);
}

void Dxf::add_face(const Entity& face, Block& into) {
  Surface surface{face.layer, fmt::format("line {}", face.line), {}};
  for (const int code : {10, 11, 12}) {
    if (!face.values.contains(code)) fail(face.line, "a 3DFACE needs three corners or four");
    surface.shape.vertices.push_back(face.point(code));
  }
  surface.shape.vertices.push_back(face.values.contains(13) ? face.point(13) : face.point(12));
  add_facets(surface, {0, 1, 2, 3}, face.line);
  into.surfaces.push_back(std::move(surface));
}

// A polyface mesh: vertices, then records with up to four of their numbers, negative where an edge is hidden. A polygon
// mesh: M times N vertices.
void Dxf::read_polyline(const Entity& head, Block& into) {
  const int flags = head.flags(70);
  const bool polyface = (flags & 64) != 0, polygon = (flags & 16) != 0;
  Surface surface{head.layer, fmt::format("line {}", head.line), {}};
  std::vector<std::pair<std::size_t, std::array<int, 4>>> records;
  std::vector<std::string> layers;
  for (Entity vertex;;) {
    if (!next_entity(vertex)) fail(head.line, "a POLYLINE without its SEQEND");
    if (vertex.kind == "SEQEND") break;
    if (vertex.kind != "VERTEX") fail(vertex.line, fmt::format("{} in a POLYLINE", in_quotes(vertex.kind)));
    if (!polyface && !polygon) continue;
    const int kind = vertex.flags(70);
    if ((kind & 128) != 0 && (kind & 64) == 0) {
      records.push_back({vertex.line, {vertex.flags(71), vertex.flags(72), vertex.flags(73), vertex.flags(74)}});
      layers.push_back(vertex.layer);
    } else if ((kind & 16) == 0) {  // but for the frame of a spline
      surface.shape.vertices.push_back(vertex.point(10));
    }
  }
  const std::size_t vertices = surface.shape.vertices.size();
  std::map<std::string, Surface> faces;  // a face of a polyface mesh has a layer of its own
  for (std::size_t r = 0; r < records.size(); ++r) {
    std::vector<std::uint32_t> corners;
    for (const int number : records[r].second) {
      if (number == 0) continue;
      const long long one = std::abs(static_cast<long long>(number));
      if (one > static_cast<long long>(vertices))
        fail(records[r].first, fmt::format("vertex {} of a face: there are {}", number, vertices));
      corners.push_back(static_cast<std::uint32_t>(one - 1));
    }
    auto& part = faces.try_emplace(layers[r], Surface{layers[r], surface.where, {}}).first->second;
    for (std::uint32_t& corner : corners) {  // only vertices in use
      part.shape.vertices.push_back(surface.shape.vertices[corner]);
      corner = static_cast<std::uint32_t>(part.shape.vertices.size() - 1);
    }
    add_facets(part, corners, records[r].first);
  }
  for (auto& [layer, part] : faces) into.surfaces.push_back(std::move(part));
  if (!polygon) return;
  const double rows = head.value(71), columns = head.value(72);
  if (!(rows >= 2 && columns >= 2 && rows * columns == static_cast<double>(vertices)))
    fail(head.line, fmt::format("a mesh of {} x {} vertices has {}", rows, columns, vertices));
  const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i + ((flags & 1) != 0 ? 0 : 1) < m; ++i)
    for (std::size_t j = 0; j + ((flags & 32) != 0 ? 0 : 1) < n; ++j) {
      std::vector<std::uint32_t> corners;
      for (const auto& [a, b] : {std::pair{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}})
        corners.push_back(static_cast<std::uint32_t>(a % m * n + b % n));
      add_facets(surface, corners, head.line);
    }
  into.surfaces.push_back(std::move(surface));
}

// From the coordinate system of an entity to that of the drawing: the arbitrary axis algorithm of the DXF Reference.
Placement of_extrusion(const Point& normal) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  if (!(length > 1e-9)) return in_place;
  const Point z = {normal[0] / length, normal[1] / length, normal[2] / length};
  const auto cross = [](const Point& a, const Point& b) {
    return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  constexpr double near = 1.0 / 64.0;
  Point x = std::abs(z[0]) < near && std::abs(z[1]) < near ? cross({0, 1, 0}, z) : cross({0, 0, 1}, z);
  const double scale = std::hypot(x[0], x[1], x[2]);
  for (double& one : x) one /= scale;
  const Point y = cross(z, x);
  return {{{x[0], y[0], z[0], 0}, {x[1], y[1], z[1], 0}, {x[2], y[2], z[2], 0}}};
}

void Dxf::add_insert(const Entity& insert, Block& into) {
  const double columns = insert.value(70, 1), rows = insert.value(71, 1);
  constexpr double most = 10'000;
  if (!(std::max(columns, 1.0) * std::max(rows, 1.0) <= most))
    fail(insert.line, fmt::format("an INSERT of {} x {} blocks: at most {}", columns, rows, most));
  Placement scale = in_place;
  for (int d = 0; d < 3; ++d)
    scale[static_cast<std::size_t>(d)][static_cast<std::size_t>(d)] = insert.value(41 + d, 1.0);
  const Placement turn = turned({0, 0, 1}, insert.value(50) * std::numbers::pi / 180.0);
  const Placement extrusion = of_extrusion({insert.value(210), insert.value(220), insert.value(230, 1.0)});
  Insert placed{insert.name, insert.layer, fmt::format("line {}", insert.line), {}};
  for (int i = 0; i < std::max(columns, 1.0); ++i)
    for (int j = 0; j < std::max(rows, 1.0); ++j) {
      Placement step = in_place, shift = in_place;
      const Point at = insert.point(10);
      for (std::size_t d = 0; d < 3; ++d) shift[d][3] = at[d];
      step[0][3] = i * insert.value(44);
      step[1][3] = j * insert.value(45);
      placed.placements.push_back(extrusion * shift * turn * step * scale);
    }
  into.inserts.push_back(std::move(placed));
}

// Entities on layer 0 of a block are on the layer of the INSERT.
void Dxf::place(const Block& block, const Placement& placement, const std::string& layer, int depth) {
  const auto on = [&](const std::string& own) { return own == "0" ? layer : own; };
  for (const Surface& surface : block.surfaces) {
    const std::string name = on(surface.layer);
    builder_.add(surface.shape, placement, name == "0" ? "default" : name, surface.where);
  }
  constexpr int deepest = 32;
  for (const Insert& insert : block.inserts) {
    const auto found = blocks_.find(insert.block);
    if (found == blocks_.end()) continue;  // an external reference, or one of the program's own
    if (depth == deepest)
      throw MeshRefused{fmt::format("{}: blocks are nested deeper than {}, or {} contains itself", insert.where,
                                    deepest, in_quotes(insert.block))};
    Placement base = in_place;
    for (std::size_t d = 0; d < 3; ++d) base[d][3] = -found->second.base[d];
    for (const Placement& one : insert.placements) {
      count_.one_more();
      place(found->second, placement * one * base, on(insert.layer), depth + 1);
    }
  }
}

Mesh Dxf::read() {
  bool sections = false;
  while (next_group()) {
    if (code_ == 999) continue;  // a comment
    if (code_ == 0 && text_ == "EOF") break;
    if (code_ != 0 || text_ != "SECTION") {
      if (!sections) fail(lines_.number(), "it is no DXF text: it does not begin with a SECTION");
      continue;
    }
    sections = true;
    if (!next_group() || code_ != 2) fail(lines_.number(), "a SECTION without a name");
    const std::string section(text_);
    if (section == "HEADER") read_header();
    if (section != "BLOCKS" && section != "ENTITIES") continue;
    Block ignored;
    Block* into = section == "ENTITIES" ? &entities_ : &ignored;
    for (Entity entity; next_entity(entity);) {
      if (entity.kind == "BLOCK" && section == "BLOCKS") {
        into = &blocks_[entity.name];
        into->base = entity.point(10);
      } else if (entity.kind == "ENDBLK") {
        into = &ignored;
      } else if (entity.kind == "3DFACE") {
        add_face(entity, *into);
      } else if (entity.kind == "POLYLINE") {
        read_polyline(entity, *into);
      } else if (entity.kind == "INSERT") {
        add_insert(entity, *into);
      }
    }
  }
  place(entities_, in_place, "0", 0);
  Mesh mesh = std::move(builder_.mesh());
  if (mesh.triangles.empty())
    throw MeshRefused{
        "it has no 3DFACE and no polyface mesh: export surfaces as 3D faces (solids and lines are not read)"};
  mesh.stated_units = units_;
  mesh.stated_up.assign(1, 'z');
  return mesh;
}

}  // namespace

std::optional<Mesh> read_dxf(std::string_view bytes, std::string& why) {
  if (bytes.starts_with("AutoCAD Binary DXF")) return refuse(why, "it is binary DXF: save it as DXF text (ASCII)");
  try {
    return Dxf(bytes).read();
  } catch (const MeshRefused& refused) {
    return refuse(why, refused.why);
  }
}

}  // namespace fdtd
