// place.h5, place.csv and place.png.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/small_rooms/place_report.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/files/png.hpp"
#include "engine/reports/colour_map.hpp"
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

// The horizontal plane of the best place: dark is best; grey: no place.
std::string places_png(const RoomPlaces& result, bool even) {
  constexpr int colours = 255;
  std::vector<Colour> palette{{0x80, 0x80, 0x80}};
  for (const Colour& colour : sequential_colours(colours)) palette.push_back(colour);
  const RoomPoints& points = result.points;
  const int width = points.size[0], height = points.size[1];
  const std::int64_t plane = static_cast<std::int64_t>(width) * height, z = points.index[result.order[0]] / plane;
  const double low = target_of(result.places[result.order[0]], even);
  double high = low;
  for (std::size_t i = 0; i < result.places.size(); ++i)
    if (points.index[i] / plane == z) high = std::max(high, target_of(result.places[i], even));
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(plane), 0);
  for (std::size_t i = 0; i < result.places.size(); ++i) {
    if (points.index[i] / plane != z) continue;
    const double t = (target_of(result.places[i], even) - low) / std::max(high - low, 1e-9);
    cells[static_cast<std::size_t>(points.index[i] % plane)] =
        static_cast<std::uint8_t>(1 + std::lround(std::clamp(t, 0.0, 1.0) * (colours - 1)));
  }
  const int zoom = std::clamp(480 / std::max(width, height), 1, 48);
  std::vector<std::uint8_t> pixels;
  for (int y = height * zoom; y-- > 0;)
    for (int x = 0; x < width * zoom; ++x)
      pixels.push_back(cells[static_cast<std::size_t>(y / zoom) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x / zoom)]);
  return encode_png(width * zoom, height * zoom, pixels, palette);
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
  write_whole_file(files[2], places_png(*report.result, report.request->even), force);
  file.commit();
}

}  // namespace fdtd::cli
