// place.h5, place.csv and place.png.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/small_rooms/place_report.hpp"
#include "cli/small_rooms/point_map.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double target_of(const RatedPlace& place, bool even) {
  return even ? place.evenness.value_or(no_value) : place.flatness;
}

std::string places_csv(const RoomPlaces& result) {
  std::string text = "x,y,z,flatness,evenness,level\n";
  for (const std::size_t i : result.order) {
    const RatedPlace& one = result.places[i];
    text += fmt::format("{:.4f},{:.4f},{:.4f},{:.4f},{},{:.3f}\n", one.position[0], one.position[1], one.position[2],
                        one.flatness, one.evenness ? fmt::format("{:.4f}", *one.evenness) : "", one.level);
  }
  return text;
}

// The horizontal plane of the best place: dark is best; grey: no place. Marked are the best and today's.
std::string places_png(const RoomPlaces& result, const PlacesRequest& request) {
  const std::size_t best = result.order[0];
  const std::int64_t z = plane_of(result.points, best);
  MapPicture map = map_of_points(result.points);
  map.low = target_of(result.places[best], request.even);
  map.high = map.low;
  for (std::size_t i = 0; i < result.places.size(); ++i) {
    if (plane_of(result.points, i) != z) continue;
    const double value = target_of(result.places[i], request.even);
    map.values[cell_of(result.points, i)] = value;
    map.high = std::max(map.high, value);
  }
  const auto& place = result.places[best].position;
  map.title = fmt::format("places of {}, z = {:.2f} m", request.moved, place[2]);
  map.grey = fmt::format("no candidate, as within {:g} m of walls", request.from_wall);
  map.quantity = request.even ? "evenness (dB)" : "flatness (dB)";
  map.marks = {{{result.now.position[0], result.now.position[1]}, "now"}, {{place[0], place[1]}, "best"}};
  return map_png(map);
}

void write_place_h5(const RoomPlaces& result, const fs::path& file, const fs::path& name) {
  std::vector<double> positions, flatness, evenness, level;
  for (const RatedPlace& one : result.places) {
    positions.insert(positions.end(), one.position.begin(), one.position.end());
    flatness.push_back(one.flatness);
    evenness.push_back(one.evenness.value_or(no_value));
    level.push_back(one.level);
  }
  H5File h5 = H5File::create(file, name);
  h5.set("/", "format", std::string("fdtd place"));
  h5.set("/", "schema_version", std::int64_t{1});
  h5.set("/", "version", version_line());
  h5.set("/", "scene", result.scene_text);
  h5.set("/", "overrides", result.overrides);
  h5.write_dimension("place", static_cast<std::int64_t>(result.places.size()));
  h5.write_dimension("axis", 3);
  h5.write_on("/positions", positions, {"place", "axis"});
  h5.write_on("/flatness", flatness, {"place"});
  h5.write_on("/evenness", evenness, {"place"});
  h5.write_on("/level", level, {"place"});
  h5.close();
}

}  // namespace

std::vector<fs::path> place_files(const fs::path& folder) {
  return {folder / "place.h5", folder / "place.csv", folder / "place.png"};
}

void write_places(const PlaceReport& report, const fs::path& folder, bool force) {
  const std::vector<fs::path> files = place_files(folder);
  AtomicFile file(files[0], force);
  write_place_h5(*report.result, file.temporary(), files[0]);
  write_whole_file(files[1], places_csv(*report.result), force);
  write_whole_file(files[2], places_png(*report.result, *report.request), force);
  file.commit();
}

}  // namespace fdtd::cli
