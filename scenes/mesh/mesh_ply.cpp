// Reads PLY (G. Turk, The PLY Polygon File Format, 1994): a header that describes the data, then text or binary data in
// either byte order. Takes the elements vertex (x, y, z) and face (a list of vertex numbers) and skips others.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/problem.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

struct Type {
  const char *name, *alias;
  std::size_t bytes;
  char kind;  // i: signed, u: unsigned, f: real
};
constexpr Type types[] = {{"char", "int8", 1, 'i'},     {"uchar", "uint8", 1, 'u'},   {"short", "int16", 2, 'i'},
                          {"ushort", "uint16", 2, 'u'}, {"int", "int32", 4, 'i'},     {"uint", "uint32", 4, 'u'},
                          {"float", "float32", 4, 'f'}, {"double", "float64", 8, 'f'}};

const Type* find_type(std::string_view word) {
  for (const Type& type : types) {
    if (word == type.name || word == type.alias) return &type;
  }
  return nullptr;
}

struct Property {
  std::string name;
  const Type *value = nullptr, *count = nullptr;  // count: of a list
};
struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};
enum class Coding { text, little, big };
struct Header {
  Coding coding = Coding::text;
  std::vector<Element> elements;
  std::size_t bytes = 0, lines = 0;
};

bool read_element(std::string_view line, std::size_t file_bytes, Header& header, std::string& reason) {
  Element element;
  element.name = take_word(line);
  const auto count = whole_number(take_word(line));
  if (element.name.empty() || !count || *count < 0) reason = "an element needs a name and a number";
  // Every property takes a byte at least: the file cannot hold more elements than bytes.
  else if (static_cast<std::size_t>(*count) > file_bytes)
    reason = fmt::format("{} elements {} in a file of {} bytes", *count, in_quotes(element.name), file_bytes);
  else if (header.elements.size() == 100)
    reason = "more than 100 kinds of elements";
  if (!reason.empty()) return false;
  element.count = static_cast<std::size_t>(*count);
  header.elements.push_back(std::move(element));
  return true;
}

bool read_property(std::string_view line, Header& header, std::string& reason) {
  Property property;
  std::string_view word = take_word(line);
  if (word == "list") {
    property.count = find_type(take_word(line));
    word = take_word(line);
    if (property.count == nullptr || property.count->kind == 'f') reason = "a list needs a whole number for its length";
  }
  property.value = find_type(word);
  property.name = take_word(line);
  if (header.elements.empty())
    reason = "a property before any element";
  else if (property.value == nullptr)
    reason = fmt::format("the type {} is unknown", in_quotes(word));
  else if (property.name.empty())
    reason = "a property without a name";
  else if (header.elements.back().properties.size() == 1000)
    reason = "more than 1000 properties";
  if (!reason.empty()) return false;
  header.elements.back().properties.push_back(std::move(property));
  return true;
}

std::optional<Header> read_header(std::string_view bytes, std::string& why) {
  Header header;
  Lines lines(bytes);
  std::string_view line;
  bool coded = false;
  std::string reason;
  if (!lines.next(line) || take_word(line) != "ply") return refuse(why, "it does not begin with \"ply\"");
  while (lines.next(line)) {
    const std::string_view key = take_word(line);
    if (key == "format") {
      const std::string_view coding = take_word(line);
      coded = coding == "ascii" || coding == "binary_little_endian" || coding == "binary_big_endian";
      if (!coded) return refuse_line(why, lines.number(), fmt::format("the format {} is unknown", in_quotes(coding)));
      header.coding = coding == "ascii" ? Coding::text : coding == "binary_big_endian" ? Coding::big : Coding::little;
    } else if ((key == "element" && !read_element(line, bytes.size(), header, reason)) ||
               (key == "property" && !read_property(line, header, reason))) {
      return refuse_line(why, lines.number(), reason);
    } else if (key == "end_header") {
      if (!coded) return refuse(why, "its header names no format");
      header.bytes = lines.at();
      header.lines = lines.number();
      return header;
    }
    if (lines.number() > 100'000) break;
  }
  return refuse(why, "its header has no end");
}

// The values of the body, one after the other.
class Body {
 public:
  Body(std::string_view bytes, const Header& header)
      : bytes_(bytes), lines_(bytes), coding_(header.coding), first_line_(header.lines) {}

  std::optional<double> next(const Type& type) { return coding_ == Coding::text ? word() : binary(type); }
  // The current position, for messages.
  std::string place() const {
    return coding_ == Coding::text ? fmt::format("line {}", first_line_ + lines_.number())
                                   : fmt::format("byte {} after the header", at_);
  }

 private:
  std::optional<double> word() {
    for (;;) {
      if (const std::string_view one = take_word(line_); !one.empty()) return finite_number(one);
      if (!lines_.next(line_)) return std::nullopt;
    }
  }
  template <class T>
  static T as(const char* raw) {
    T value;
    std::memcpy(&value, raw, sizeof value);
    return value;
  }
  std::optional<double> binary(const Type& type) {
    if (at_ + type.bytes > bytes_.size()) return std::nullopt;
    char raw[8];
    std::memcpy(raw, bytes_.data() + at_, type.bytes);
    at_ += type.bytes;
    const bool swap = (coding_ == Coding::big) != (std::endian::native == std::endian::big);
    if (swap) std::reverse(raw, raw + type.bytes);
    double value = 0.0;
    if (type.kind == 'f') {
      value = type.bytes == 4 ? shortest_decimal(as<float>(raw)) : as<double>(raw);
    } else if (type.kind == 'i') {
      value = type.bytes == 1 ? as<std::int8_t>(raw) : type.bytes == 2 ? as<std::int16_t>(raw) : as<std::int32_t>(raw);
    } else {
      value = type.bytes == 1   ? as<std::uint8_t>(raw)
              : type.bytes == 2 ? as<std::uint16_t>(raw)
                                : as<std::uint32_t>(raw);
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  std::string_view bytes_;
  Lines lines_;
  std::string_view line_;
  Coding coding_;
  std::size_t first_line_, at_ = 0;
};

// Reads the values of one property; false when they are missing or too many.
bool read_values(Body& body, const Property& property, std::vector<double>& values) {
  values.clear();
  std::size_t count = 1;
  if (property.count != nullptr) {
    const auto length = body.next(*property.count);
    if (!length || !(*length >= 0.0 && *length <= 1e6) || *length != std::floor(*length)) return false;
    count = static_cast<std::size_t>(*length);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = body.next(*property.value);
    if (!value) return false;
    values.push_back(*value);
  }
  return true;
}

std::string add_vertex(const std::array<std::vector<double>, 3>& xyz, Mesh& mesh) {
  for (const auto& x : xyz) {
    if (x.size() != 1 || !(std::abs(x[0]) <= max_coordinate)) return "a vertex needs finite x, y and z";
  }
  mesh.vertices.push_back({xyz[0][0], xyz[1][0], xyz[2][0]});
  return {};
}

// Faces by their corners, one after the other: their vertices may come later in the file.
struct Faces {
  std::vector<std::uint32_t> corners;
  std::vector<std::uint16_t> sizes;
};

// `vertices`: how many the header states.
std::string add_face(const std::vector<double>& corners, std::size_t vertices, Faces& faces) {
  if (corners.size() < 3) return "a face needs three corners or more";
  if (corners.size() > max_corners) return fmt::format("a polygon of more than {} corners", max_corners);
  for (const double corner : corners) {
    if (!(corner >= 0.0 && corner < static_cast<double>(vertices)) || corner != std::floor(corner))
      return fmt::format("vertex {} of a face: there are {}", corner, vertices);
    faces.corners.push_back(static_cast<std::uint32_t>(corner));
  }
  faces.sizes.push_back(static_cast<std::uint16_t>(corners.size()));
  return faces.corners.size() - 2 * faces.sizes.size() > max_mesh_facets
             ? fmt::format("more than {} facets", max_mesh_facets)
             : "";
}

std::size_t count_of(const Header& header, std::string_view name) {
  for (const Element& element : header.elements) {
    if (element.name == name) return element.count;
  }
  return 0;
}

}  // namespace

std::optional<Mesh> read_ply(std::string_view bytes, std::string& why) {
  const auto header = read_header(bytes, why);
  if (!header) return std::nullopt;
  const std::size_t vertices = count_of(*header, "vertex");
  Body body(bytes.substr(header->bytes), *header);
  Mesh mesh;
  Faces faces;
  std::array<std::vector<double>, 3> xyz;
  std::vector<double> values, corners;
  for (const Element& element : header->elements) {
    if (element.properties.empty() && element.count > 0)
      return refuse(why, fmt::format("its element {} has no properties", in_quotes(element.name)));
    for (std::size_t i = 0; i < element.count; ++i) {
      for (auto& x : xyz) x.clear();
      corners.clear();
      for (const Property& property : element.properties) {
        if (!read_values(body, property, values))
          return refuse(why, fmt::format("{}: no valid value for {} of {} {}", body.place(), in_quotes(property.name),
                                         in_quotes(element.name), i + 1));
        for (std::size_t d = 0; d < 3; ++d) {
          if (property.name == std::string_view("xyz").substr(d, 1)) xyz[d] = values;
        }
        if (property.name == "vertex_indices" || property.name == "vertex_index") corners = values;
      }
      std::string wrong;
      if (element.name == "vertex") wrong = add_vertex(xyz, mesh);
      if (element.name == "face") wrong = add_face(corners, vertices, faces);
      if (!wrong.empty()) return refuse(why, fmt::format("{}: {}", body.place(), wrong));
    }
  }
  if (faces.sizes.empty()) return refuse(why, "it has no faces");
  std::size_t first = 0;
  for (const std::uint16_t size : faces.sizes) {
    const std::uint32_t* const from = faces.corners.data() + first;
    triangulate(mesh.vertices, {from, from + size}, mesh.triangles);
    first += size;
  }
  mesh.materials = {"default"};
  mesh.material.assign(mesh.triangles.size(), 0);
  return mesh;
}

}  // namespace fdtd
