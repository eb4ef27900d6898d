// The bytes of mesh files: limits, lines and words of a text, finite numbers, refusals. Readers (mesh_shape.hpp) check
// every index and every number, and open no other file without need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fdtd {

inline constexpr std::size_t max_mesh_bytes = std::size_t{512} << 20;
inline constexpr std::size_t max_mesh_facets = 20'000'000;  // a parser takes some hundred bytes for each
inline constexpr std::size_t max_corners = 256;  // of one polygon: triangulation takes time with their square
inline constexpr std::size_t max_mesh_materials = 10'000, max_material_name = 200;

// Does its name end as those of the files that read_mesh reads?
bool is_named_as_mesh(const std::filesystem::path& file);

// The bytes of a regular file that is not empty, of at most `max_bytes`; nothing, and `why`, for others.
std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t max_bytes, std::string& why);

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool next(std::string_view& line);  // without its end: \n, \r\n or \r
  std::size_t number() const { return number_; }
  std::size_t at() const { return at_; }  // bytes read

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};
std::string_view take_word(std::string_view& line);  // empty: none is left
std::optional<double> finite_number(std::string_view word);
std::optional<long long> whole_number(std::string_view word);
// The decimal number that a file meant instead of its nearest binary float, so that 5.1 in a mesh equals 5.1 in a
// scene.
double shortest_decimal(float x);
std::nullopt_t refuse(std::string& why, std::string reason);
// "line 12: ..."
std::nullopt_t refuse_line(std::string& why, std::size_t line, const std::string& reason);
// Largest magnitude of a coordinate, in the file's unit: a thousandth of a micrometre is beyond double precision there,
// if that is the unit, and a metre's thousandth is not.
inline constexpr double max_coordinate = 1e12;

}  // namespace fdtd
