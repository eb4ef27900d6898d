#include "scenes/toml/receiver_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/vectors.hpp"
#include "scenes/path_text.hpp"
#include "scenes/toml/document.hpp"
#include "scenes/toml/key_readers.hpp"
#include "scenes/toml/reader.hpp"

namespace fdtd {
namespace {

using namespace key_readers;
using Vector = std::array<double, 3>;

constexpr Range counts{1, max_places};

struct Grid {
  Vector from{}, to{};
  std::array<int, 3> count{1, 1, 1};
};

struct Line {
  Vector from{}, to{};
  int count = 0;
};

struct Arc {
  Vector centre{}, from{}, axis{0.0, 0.0, 1.0};
  double angle = 0.0;  // degrees
  int count = 0;
};

void read_counts(Grid& into, const At& at) {
  if (!at.is_list("three whole numbers")) return;
  if (at.value.items.size() != 3)
    return at.fail(fmt::format("must be three whole numbers, not {}", at.value.items.size()));
  std::int64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto count = at.item(d).whole_number(counts);
    if (!count) return;
    into.count[d] = *count;
    all *= *count;
    if (all > max_places) return at.fail(fmt::format("more than {} receivers in one table", max_places));
  }
}

template <class T>
Key<T> corner(const char* name, Vector T::*member, const char* about, const char* required) {
  return {name, position<T>(member, any_metres, nullptr), about, required};
}

const std::vector<Key<Grid>>& grid_keys() {
  static const std::vector<Key<Grid>> keys = {
      corner("from", &Grid::from, "First receiver.", "from = [x, y, z], in m"),
      corner("to", &Grid::to, "Last receiver: the opposite corner.", "to = [x, y, z], in m"),
      {"count",
       {read_counts, {"three whole numbers", counts, {}}},
       "Receivers along x, y and z; 1 along an axis where `from` and `to` agree.",
       "count = [nx, ny, nz]"}};
  return keys;
}

const std::vector<Key<Line>>& line_keys() {
  static const std::vector<Key<Line>> keys = {
      corner("from", &Line::from, "First receiver.", "from = [x, y, z], in m"),
      corner("to", &Line::to, "Last receiver.", "to = [x, y, z], in m"),
      {"count", whole_number(&Line::count, counts), "Receivers, both ends included.", "count = 11"}};
  return keys;
}

const std::vector<Key<Arc>>& arc_keys() {
  static const std::vector<Key<Arc>> keys = {
      corner("centre", &Arc::centre, "Centre of the circle.", "centre = [x, y, z], in m"),
      corner("from", &Arc::from, "First receiver.", "from = [x, y, z], in m"),
      corner("axis", &Arc::axis, "Axis of rotation through the centre, of any length; by default upwards.", nullptr),
      {"angle", number(&Arc::angle, {-360, 360, "degrees"}),
       "Angle from the first receiver to the last, by the right-hand rule about `axis`; 360: a whole circle, whose "
       "last "
       "receiver stands one step before the first.",
       "angle = 180.0, in degrees"},
      {"count", whole_number(&Arc::count, counts), "Receivers, both ends included.", "count = 37"}};
  return keys;
}

// The table read into a T; nothing where a problem was recorded.
template <class T>
std::optional<T> whole(const At& at, const std::vector<Key<T>>& keys) {
  T one;
  const std::size_t before = at.reading.count();
  read_table(one, at, keys);
  return at.reading.count() == before ? std::optional(one) : std::nullopt;
}

double between(double from, double to, int i, int count) {
  if (count == 1) return from;
  const double fraction = static_cast<double>(i) / (count - 1);
  return i == count - 1 ? to : from + fraction * (to - from);
}

}  // namespace

void read_grid(std::vector<Vector>& places, const At& at) {
  const auto grid = whole(at, grid_keys());
  if (!grid) return;
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid->count[d] == 1 && grid->from[d] != grid->to[d])
      return at.fail(fmt::format("one receiver along {} cannot stand at {:g} and at {:g} m", "xyz"[d], grid -> from[d],
                                 grid -> to[d]),
                     "give the same coordinate in `from` and `to`, or a larger count");
    if (grid->count[d] > 1 && grid->from[d] == grid->to[d])
      return at.fail(
          fmt::format("{} receivers along {} stand at one place, {:g} m", grid->count[d], "xyz"[d], grid -> from[d]),
          "set this count to 1, or give another coordinate in `to`");
  }
  for (int z = 0; z < grid->count[2]; ++z)
    for (int y = 0; y < grid->count[1]; ++y)
      for (int x = 0; x < grid->count[0]; ++x)
        places.push_back({between(grid->from[0], grid->to[0], x, grid->count[0]),
                          between(grid->from[1], grid->to[1], y, grid->count[1]),
                          between(grid->from[2], grid->to[2], z, grid->count[2])});
}

void read_line(std::vector<Vector>& places, const At& at) {
  const auto line = whole(at, line_keys());
  if (!line) return;
  if ((line->count > 1) == (line->from == line->to))
    return at.fail(line->count > 1 ? fmt::format("{} receivers stand at one place", line->count)
                                   : std::string("one receiver cannot stand at both ends"),
                   "give two ends and a count of 2 or more");
  for (int i = 0; i < line->count; ++i)
    places.push_back({between(line->from[0], line->to[0], i, line->count),
                      between(line->from[1], line->to[1], i, line->count),
                      between(line->from[2], line->to[2], i, line->count)});
}

void read_arc(std::vector<Vector>& places, const At& at) {
  const auto arc = whole(at, arc_keys());
  if (!arc) return;
  if (arc->axis == Vector{}) return at.fail("axis must not be zero in all three numbers");
  const Vector axis = unit(arc->axis);
  const Vector out{arc->from[0] - arc->centre[0], arc->from[1] - arc->centre[1], arc->from[2] - arc->centre[2]};
  const double along = dot(out, axis);
  const Vector radius{out[0] - along * axis[0], out[1] - along * axis[1], out[2] - along * axis[2]};
  if (!(std::hypot(radius[0], radius[1], radius[2]) > 1e-9 * std::hypot(out[0], out[1], out[2])))
    return at.fail("`from` lies on the axis", "move `from` or `centre`, or give another `axis`");
  if ((arc->count > 1) == (arc->angle == 0.0))
    return at.fail(arc->count > 1 ? fmt::format("{} receivers stand at one place", arc->count)
                                  : std::string("one receiver cannot stand at both ends"),
                   "give an angle and a count of 2 or more");
  const Vector across = cross(axis, radius);
  const int steps = std::abs(arc->angle) == 360.0 ? arc->count : arc->count - 1;
  for (int i = 0; i < arc->count; ++i) {
    const double turn = i == 0 ? 0.0 : arc->angle * i / steps * std::numbers::pi / 180.0;
    const double c = std::cos(turn), s = std::sin(turn);
    Vector place;
    for (std::size_t d = 0; d < 3; ++d) place[d] = arc->centre[d] + along * axis[d] + c * radius[d] + s * across[d];
    places.push_back(i == 0 ? arc->from : place);
  }
}

std::optional<Path> read_path_file(const std::filesystem::path& file, std::string& why) {
  const auto text = read_small_file(file, why);
  std::optional<Path> path;
  if (text) path = read_path(*text, why);
  if (!path) why = fmt::format("{}: {}", file.filename().string(), why);
  return path;
}

std::optional<Path> read_receiver_path(const At& at) {
  const auto file = at.file();
  if (!file) return std::nullopt;
  std::string why;
  auto path = read_path_file(*file, why);
  if (!path) at.fail(why, "t, x, y, z or t, x, y, z, yaw on the first line, then a row for each moment");
  return path;
}

std::vector<Microphone> read_microphones(const At& at) {
  const auto path = at.file();
  if (!path) return {};
  std::string why;
  const auto text = read_small_file(*path, why);
  ArrayText read;
  if (text)
    read = read_array_text(*text, bad_name);
  else
    read.fault = why;
  if (read.fault.empty()) return std::move(read.microphones);
  const std::string place = read.line > 0 ? fmt::format(":{}", read.line) : "";
  at.fail(fmt::format("{}{}: {}", path->filename().string(), place, read.fault),
          "a line for each microphone: x,y,z in m from the receiver's position, and perhaps weight and name");
  return {};
}

std::vector<KeyTable> place_tables() {
  return {describe_table(
              {"receiver.*.grid", "grid = { ... } of a receiver",
               "Receivers at equal distances in a box, on a plane or along an axis, x fastest, then y, then z.", ""},
              grid_keys()),
          describe_table({"receiver.*.line", "line = { ... } of a receiver",
                          "Receivers at equal distances on a straight line.", ""},
                         line_keys()),
          describe_table({"receiver.*.arc", "arc = { ... } of a receiver",
                          "Receivers at equal angles on a circle about an axis.", ""},
                         arc_keys())};
}

}  // namespace fdtd
