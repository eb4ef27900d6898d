// Reads COLLADA (ISO/PAS 17506:2012, versions 1.4 and 1.5): the polygons of its scene, nodes applied, with the names of
// their materials. pugixml reads the XML: it follows no entity and opens no file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <numbers>
#include <pugixml.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/problem.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

using pugi::xml_node;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw MeshRefused{where.empty() ? what : where + ": " + what};
}

// "node \"lamp\"" for messages.
std::string name_of(const xml_node& node) {
  for (const char* const key : {"id", "name"})
    if (*node.attribute(key).value() != '\0')
      return fmt::format("{} {}", node.name(), in_quotes(node.attribute(key).value()));
  return node.name();
}

// Refuses a text that would take far more memory as elements than as text.
void judge_size(std::string_view text) {
  constexpr std::ptrdiff_t most = 4'000'000;
  const auto elements = std::count(text.begin(), text.end(), '<'),
             attributes = std::count(text.begin(), text.end(), '=');
  if (elements + attributes > most) fail("", fmt::format("its XML has more than {} elements and attributes", most));
}

// The words of an element's text.
class Words {
 public:
  explicit Words(const xml_node& node) : rest_(node.child_value()), where_(name_of(node)) {}
  bool next(std::string_view& word) {
    constexpr std::string_view blank = " \t\r\n\v\f";
    const std::size_t begin = rest_.find_first_not_of(blank);
    if (begin == rest_.npos) return false;
    const std::size_t end = std::min(rest_.find_first_of(blank, begin), rest_.size());
    word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return true;
  }
  bool next(double& value) {
    std::string_view word;
    if (!next(word)) return false;
    const auto read = finite_number(word);
    if (!read) fail(where_, fmt::format("{} is no finite number", in_quotes(std::string(word.substr(0, 40)))));
    value = *read;
    return true;
  }
  bool next(std::size_t& value) {
    std::string_view word;
    if (!next(word)) return false;
    const auto read = whole_number(word);
    if (!read || *read < 0) fail(where_, fmt::format("{} is no index", in_quotes(std::string(word.substr(0, 40)))));
    value = static_cast<std::size_t>(*read);
    return true;
  }

 private:
  std::string_view rest_;
  std::string where_;
};

std::size_t whole(const xml_node& node, const char* key, std::size_t otherwise) {
  const pugi::xml_attribute attribute = node.attribute(key);
  if (!attribute) return otherwise;
  const auto value = whole_number(attribute.value());
  if (!value || *value < 0 || *value > 0xFFFFFFFF)
    fail(name_of(node), fmt::format("{} is no whole number from 0 on", key));
  return static_cast<std::size_t>(*value);
}

template <std::size_t count>
std::array<double, count> numbers_of(const xml_node& node) {
  std::array<double, count> values{};
  Words words(node);
  for (double& value : values)
    if (!words.next(value)) fail(name_of(node), fmt::format("holds less than {} numbers", count));
  return values;
}

Placement transform(const xml_node& one) {
  const std::string kind = one.name();
  Placement made = in_place;
  if (kind == "matrix") {
    const auto m = numbers_of<16>(one);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) made[i][j] = m[4 * i + j];
  } else if (kind == "translate") {
    const auto t = numbers_of<3>(one);
    for (std::size_t i = 0; i < 3; ++i) made[i][3] = t[i];
  } else if (kind == "scale") {
    const auto s = numbers_of<3>(one);
    for (std::size_t i = 0; i < 3; ++i) made[i][i] = s[i];
  } else if (kind == "rotate") {
    const auto [x, y, z, degrees] = numbers_of<4>(one);
    if (!(std::hypot(x, y, z) > 1e-12)) fail(name_of(one), "its axis has no length");
    made = turned({x, y, z}, degrees * std::numbers::pi / 180.0);
  } else if (kind == "skew" || kind == "lookat") {
    fail(name_of(one), "is not read: export the scene with matrices");
  }
  return made;
}

class Dae {
 public:
  explicit Dae(const pugi::xml_document& document) : root_(document.child("COLLADA")) {}
  Mesh read();

 private:
  struct Part {
    MeshShape shape;
    std::string symbol, where;
  };
  // Where a list of polygons names its corners: every `stride` numbers one vertex, the one at `offset`.
  struct Corners {
    xml_node vertices;  // none where it names none
    std::size_t stride = 1, offset = 0;
  };
  using Symbols = std::map<std::string, std::string>;  // of an instance: symbol -> name of the material

  void gather_names();
  xml_node target(const xml_node& from, const char* key, const char* kind) const;
  const std::vector<std::array<double, 3>>& points_of(const xml_node& vertices);
  Corners corners_of(const xml_node& group, const std::string& where) const;
  void read_polygons(const xml_node& group, std::vector<Part>& parts);
  const std::vector<Part>& parts_of(const xml_node& geometry);
  Symbols symbols_of(const xml_node& instance) const;
  void add_node(const xml_node& node, const Placement& outer, int depth);
  Placement frame(Mesh& mesh) const;

  xml_node root_;
  std::unordered_map<std::string_view, xml_node> by_id_;
  std::map<std::size_t, std::vector<std::array<double, 3>>> points_;  // by element
  std::map<std::size_t, std::vector<Part>> geometries_;
  std::size_t facets_ = 0;
  ObjectCount count_;
  MeshBuilder builder_;
};

void Dae::gather_names() {
  struct Walker : pugi::xml_tree_walker {
    std::unordered_map<std::string_view, xml_node>* into = nullptr;
    bool for_each(xml_node& node) override {
      const char* const id = node.attribute("id").value();
      if (*id != '\0') into->emplace(id, node);
      return true;
    }
  } walker;
  walker.into = &by_id_;
  xml_node root = root_;
  root.traverse(walker);
}

// The element of that kind that an attribute names as "#id".
xml_node Dae::target(const xml_node& from, const char* key, const char* kind) const {
  const std::string_view url = from.attribute(key).value();
  if (!url.starts_with('#'))
    fail(name_of(from),
         fmt::format("{} {} names nothing in this file: export one file", key, in_quotes(std::string(url))));
  const auto found = by_id_.find(url.substr(1));
  if (found == by_id_.end() || std::strcmp(found->second.name(), kind) != 0)
    fail(name_of(from), fmt::format("there is no {} {}", kind, in_quotes(std::string(url.substr(1)))));
  return found->second;
}

// The positions behind an element <vertices>.
const std::vector<std::array<double, 3>>& Dae::points_of(const xml_node& vertices) {
  const auto known = points_.find(vertices.hash_value());
  if (known != points_.end()) return known->second;
  xml_node source;
  for (const xml_node input : vertices.children("input"))
    if (std::strcmp(input.attribute("semantic").value(), "POSITION") == 0) source = target(input, "source", "source");
  if (!source) fail(name_of(vertices), "it has no positions");
  const xml_node accessor = source.child("technique_common").child("accessor");
  const xml_node array = accessor ? target(accessor, "source", "float_array") : source.child("float_array");
  const std::size_t stride = whole(accessor, "stride", 3), offset = whole(accessor, "offset", 0);
  if (stride < 3) fail(name_of(source), fmt::format("its stride {} is less than three coordinates", stride));
  std::vector<double> values;
  Words words(array);
  for (double value = 0.0; words.next(value);) values.push_back(value);
  const std::size_t most = values.size() >= offset + 3 ? (values.size() - offset - 3) / stride + 1 : 0,
                    count = whole(accessor, "count", most);
  if (count > most) fail(name_of(source), fmt::format("it states {} vertices and holds {}", count, most));
  std::vector<std::array<double, 3>>& points = points_[vertices.hash_value()];
  points.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      points[i][d] = values[offset + i * stride + d];
      if (!(std::abs(points[i][d]) <= max_coordinate))
        fail(name_of(source), fmt::format("{} is not a coordinate", points[i][d]));
    }
  return points;
}

Dae::Corners Dae::corners_of(const xml_node& group, const std::string& where) const {
  Corners listed;
  for (const xml_node input : group.children("input")) {
    const std::size_t at = whole(input, "offset", 0);
    if (at > 64) fail(where, "an input at an impossible offset");
    listed.stride = std::max(listed.stride, at + 1);
    if (std::strcmp(input.attribute("semantic").value(), "VERTEX") != 0) continue;
    listed.vertices = target(input, "source", "vertices");
    listed.offset = at;
  }
  return listed;
}

// <triangles>, <polylist>, <polygons>, <trifans> and <tristrips>.
void Dae::read_polygons(const xml_node& group, std::vector<Part>& parts) {
  const std::string kind = group.name();
  const bool fan = kind == "trifans", strip = kind == "tristrips";
  const std::string where = fmt::format("{}, {}", name_of(group.parent().parent()), kind);
  if (kind == "polygons" && group.child("ph")) fail(where, "polygons with holes are not read: export triangles");
  const auto [vertices, stride, offset] = corners_of(group, where);
  if (!vertices && group.child("p")) fail(where, "it names no vertices");
  if (!vertices) return;
  const auto& points = points_of(vertices);
  Part part{{}, group.attribute("material").value(), where};
  std::unordered_map<std::size_t, std::uint32_t> used;  // only vertices in use: several parts share a list
  const auto corner = [&](std::size_t index) {
    if (index >= points.size()) fail(where, fmt::format("vertex {}: there are {}", index, points.size()));
    const auto [at, fresh] = used.emplace(index, static_cast<std::uint32_t>(part.shape.vertices.size()));
    if (fresh) part.shape.vertices.push_back(points[index]);
    return at->second;
  };
  const auto add = [&](const std::vector<std::uint32_t>& corners) {
    if (corners.size() < 3) return;
    if (corners.size() > max_corners) fail(where, fmt::format("a polygon of more than {} corners", max_corners));
    triangulate(part.shape.vertices, corners, part.shape.triangles);
    if (facets_ + part.shape.triangles.size() > max_mesh_facets)
      fail(where, fmt::format("with it there are more than {} facets", max_mesh_facets));
  };
  const bool counted = kind == "polylist", one_each = kind != "triangles" && !counted;
  Words counts(group.child("vcount"));
  const auto next_count = [&](std::size_t& count) {  // of the next polygon with any corner
    do {
      if (!counts.next(count)) return false;
    } while (count == 0);
    return true;
  };
  for (const xml_node p : group.children("p")) {
    Words words(p);
    std::vector<std::uint32_t> corners;
    std::size_t wanted = 3, place = 0;
    if (counted && !next_count(wanted)) break;
    for (std::size_t index = 0; words.next(index); place = (place + 1) % stride) {
      if (place != offset) continue;
      corners.push_back(corner(index));
      if (one_each || corners.size() < wanted) continue;
      add(corners);
      corners.clear();
      if (counted && !next_count(wanted)) break;
    }
    if (!one_each && !corners.empty()) fail(where, "its list of vertices ends within a polygon");
    if (!fan && !strip) {
      add(corners);
      continue;
    }
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const bool turned_over = strip && i % 2 == 1;
      const std::uint32_t a = fan ? corners[0] : corners[i - 2], b = corners[i - 1];
      add({turned_over ? b : a, turned_over ? a : b, corners[i]});
    }
  }
  facets_ += part.shape.triangles.size();
  parts.push_back(std::move(part));
}

const std::vector<Dae::Part>& Dae::parts_of(const xml_node& geometry) {
  const auto known = geometries_.find(geometry.hash_value());
  if (known != geometries_.end()) return known->second;
  const xml_node mesh = geometry.child("mesh");
  if (!mesh) fail(name_of(geometry), "it is no mesh: export curves and surfaces as meshes");
  std::vector<Part>& parts = geometries_[geometry.hash_value()];
  for (const xml_node group : mesh.children())
    for (const char* const kind : {"triangles", "polylist", "polygons", "trifans", "tristrips"})
      if (std::strcmp(group.name(), kind) == 0) read_polygons(group, parts);
  return parts;
}

Dae::Symbols Dae::symbols_of(const xml_node& instance) const {
  Symbols symbols;
  const xml_node common = instance.child("bind_material").child("technique_common");
  for (const xml_node one : common.children("instance_material")) {
    const xml_node material = target(one, "target", "material");
    const char* const name = material.attribute("name").value();
    symbols[one.attribute("symbol").value()] = *name != '\0' ? name : material.attribute("id").value();
  }
  return symbols;
}

void Dae::add_node(const xml_node& node, const Placement& outer, int depth) {
  constexpr int deepest = 200;
  if (depth > deepest) fail(name_of(node), fmt::format("is nested deeper than {}, or contains itself", deepest));
  count_.one_more();
  Placement here = outer;
  for (const xml_node one : node.children()) here = here * transform(one);
  for (const xml_node instance : node.children("instance_geometry")) {
    count_.one_more();
    const Symbols symbols = symbols_of(instance);
    for (const Part& part : parts_of(target(instance, "url", "geometry"))) {
      const auto bound = symbols.find(part.symbol);
      builder_.add(part.shape, here, bound != symbols.end() ? bound->second : part.symbol, part.where);
    }
  }
  if (node.child("instance_controller"))
    fail(name_of(node), "it has a skin that bones move: export the mesh without its armature");
  for (const xml_node child : node.children("node")) add_node(child, here, depth + 1);
  for (const xml_node instance : node.children("instance_node"))
    add_node(target(instance, "url", "node"), here, depth + 1);
}

// The unit and the axis that the file states; a frame without a name is applied.
Placement Dae::frame(Mesh& mesh) const {
  const xml_node asset = root_.child("asset");
  Placement outer = in_place;
  const std::string up = asset.child("up_axis") ? asset.child_value("up_axis") : "Y_UP";
  mesh.stated_up.assign(1, up.find("Y_UP") != up.npos ? 'y' : 'z');
  if (up.find("X_UP") != up.npos) outer = {{{0, -1, 0, 0}, {0, 0, -1, 0}, {1, 0, 0, 0}}};
  mesh.stated_units.assign(1, 'm');
  const pugi::xml_attribute stated = asset.child("unit").attribute("meter");
  if (!stated) return outer;
  const auto metres = finite_number(stated.value());
  if (!metres || !(*metres >= 1e-9 && *metres <= 1e9))
    fail("unit", fmt::format("meter = {} is no length", in_quotes(stated.value())));
  for (const auto& [unit, length] : {std::pair{"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}})
    if (std::abs(*metres / length - 1.0) < 1e-6) {
      mesh.stated_units = unit;
      return outer;
    }
  for (auto& row : outer)
    for (double& value : row) value *= *metres;
  return outer;
}

Mesh Dae::read() {
  if (!root_) fail("", "it is no COLLADA: it has no element COLLADA");
  gather_names();
  Mesh& mesh = builder_.mesh();
  const Placement outer = frame(mesh);
  const xml_node scene = root_.child("scene").child("instance_visual_scene");
  if (scene) {
    for (const xml_node node : target(scene, "url", "visual_scene").children("node")) add_node(node, outer, 0);
  } else {  // a library of geometries: each once, where it is
    for (const xml_node geometry : root_.child("library_geometries").children("geometry"))
      for (const Part& part : parts_of(geometry)) builder_.add(part.shape, outer, part.symbol, part.where);
  }
  if (mesh.triangles.empty()) fail("", "its scene has no polygons");
  return std::move(mesh);
}

}  // namespace

std::optional<Mesh> read_dae(std::string& bytes, std::string& why) {
  try {
    judge_size(bytes);
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer_inplace(bytes.data(), bytes.size());
    if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!parsed)
      return refuse(why, fmt::format("its XML cannot be read: byte {}: {}", parsed.offset, parsed.description()));
    return Dae(document).read();
  } catch (const MeshRefused& refused) {
    return refuse(why, refused.why);
  }
}

}  // namespace fdtd
