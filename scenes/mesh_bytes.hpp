// Bytes before parsers: a mesh file from anywhere is read here with suspicion and written again with nothing but what
// a room needs: corners, facets, names of materials. What a third-party parser then gets is well formed, small in
// proportion to the file, names no other file, and every index and number in it has been looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fdtd {

inline constexpr std::size_t largest_mesh_bytes = std::size_t{512} << 20;
inline constexpr std::size_t most_mesh_facets = 20'000'000;  // each costs a parser some hundred bytes
inline constexpr std::size_t most_corners = 256;  // of one polygon: cutting one into triangles takes their square
inline constexpr std::size_t most_mesh_materials = 10'000, longest_material_name = 200;

// Nothing, and why, for what is no such file; the line is named where there are lines.
std::optional<std::string> reduced_obj(std::string_view bytes, std::string& why);
std::optional<std::string> reduced_stl(std::string_view bytes, std::string& format, std::string& why);  // stl or obj
std::optional<std::string> reduced_ply(std::string_view bytes, std::string& why);

// What the three share: words and lines of a text, numbers that must be finite, a refusal.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool next(std::string_view& line);  // without its end, \n or \r\n or \r
  std::size_t number() const { return number_; }
  std::size_t at() const { return at_; }  // bytes read

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};
std::string_view take_word(std::string_view& line);  // empty: there is none left
std::optional<double> finite_number(std::string_view word);
std::optional<long long> whole_number(std::string_view word);
std::nullopt_t refuse(std::string& why, std::string reason);
// "line 12: ..."
std::nullopt_t refuse_line(std::string& why, std::size_t line, const std::string& reason);
// Largest magnitude of a coordinate in the file's units: beyond, the single precision of mesh files means nothing.
inline constexpr double largest_coordinate = 1e9;

}  // namespace fdtd
