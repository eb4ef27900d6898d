// Validates a mesh file and rewrites it with only what a room needs: vertices, facets and names of materials. The
// third-party parser then gets a text that is well formed, small in proportion to the file and names no other file, and
// in which every index and every number has been checked.
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

// The bytes of a regular file that is not empty, of at most `max_bytes`; nothing, and `why`, for others.
std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t max_bytes, std::string& why);

// The rewritten file; nothing, and `why` with the line in text files, for an invalid file.
std::optional<std::string> reduced_obj(std::string_view bytes, std::string& why);
std::optional<std::string> reduced_stl(std::string_view bytes, std::string& format, std::string& why);  // stl or obj
std::optional<std::string> reduced_ply(std::string_view bytes, std::string& why);

// Shared by the three: lines and words of a text, finite numbers, refusals.
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
// Largest magnitude of a coordinate, in the file's unit; single precision has no meaning beyond it.
inline constexpr double max_coordinate = 1e9;

}  // namespace fdtd
