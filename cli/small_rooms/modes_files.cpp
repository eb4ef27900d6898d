// modes.h5, and pictures of the shapes of modes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/small_rooms/modes_report.hpp"
#include "cli/small_rooms/point_map.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

// The horizontal plane of points on which the shape has the most energy.
std::int64_t strongest_plane(const RoomPoints& points, const std::vector<std::complex<double>>& shape) {
  std::vector<double> energy(static_cast<std::size_t>(points.size[2]), 0.0);
  for (std::size_t i = 0; i < shape.size(); ++i)
    energy[static_cast<std::size_t>(plane_of(points, i))] += std::norm(shape[i]);
  return std::ranges::max_element(energy) - energy.begin();
}

// Blue and red: pressures of opposite sign at the time when the largest is real; grey: no point of the room.
std::string shape_png(const RoomPoints& points, const RoomMode& mode, const std::vector<std::complex<double>>& shape,
                      int number) {
  MapPicture map = map_of_points(points);
  const std::int64_t z = strongest_plane(points, shape);
  double height = 0.0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (plane_of(points, i) != z) continue;
    map.values[cell_of(points, i)] = shape[i].real();
    height = points.positions[i][2];
  }
  map.title = fmt::format("mode {}, {:.2f} Hz, z = {:.2f} m", number, mode.frequency, height);
  map.quantity = "pressure (1: its largest)";
  map.low = -1.0;
  map.high = 1.0;
  map.diverging = true;
  map.grey = "no receiver, as within a cell of walls";
  return map_png(map);
}

// Values of all modes, one after the other; those of a multiplicity follow each other.
struct ModeColumns {
  std::vector<double> frequency, frequency_error, decay, decay_error, real, imaginary;
};

ModeColumns mode_columns(const RoomModes& room) {
  ModeColumns columns;
  for (const RoomMode& mode : room.modes)
    for (const auto& shape : mode.shapes) {
      columns.frequency.push_back(mode.frequency);
      columns.frequency_error.push_back(mode.frequency_error);
      columns.decay.push_back(mode.decay);
      columns.decay_error.push_back(mode.decay_error);
      for (const std::complex<double>& value : shape) {
        columns.real.push_back(value.real());
        columns.imaginary.push_back(value.imag());
      }
    }
  return columns;
}

void write_h5(const RoomModes& room, const fs::path& file, const fs::path& name) {
  const ModeColumns columns = mode_columns(room);
  std::vector<double> places;
  for (const auto& position : room.points.positions) places.insert(places.end(), position.begin(), position.end());
  H5File h5 = H5File::create(file, name);
  h5.set("/", "format", std::string("fdtd modes"));
  h5.set("/", "schema_version", std::int64_t{1});
  h5.set("/", "version", version_line());
  h5.set("/", "scene", room.scene_text);
  h5.set("/", "overrides", room.overrides);
  h5.write_dimension("mode", static_cast<std::int64_t>(columns.frequency.size()));
  h5.write_dimension("point", static_cast<std::int64_t>(room.points.positions.size()));
  h5.write_dimension("axis", 3);
  h5.write_on("/frequency", columns.frequency, {"mode"});
  h5.write_on("/frequency_error", columns.frequency_error, {"mode"});
  h5.write_on("/decay", columns.decay, {"mode"});
  h5.write_on("/decay_error", columns.decay_error, {"mode"});
  h5.write_on("/positions", places, {"point", "axis"});
  h5.write_on("/shape_real", columns.real, {"mode", "point"});
  h5.write_on("/shape_imaginary", columns.imaginary, {"mode", "point"});
  h5.close();
}

}  // namespace

std::vector<fs::path> modes_files(const RoomModes& room, const fs::path& folder) {
  std::vector<fs::path> files{folder / "modes.h5"};
  int number = 0;
  for (const RoomMode& mode : room.modes)
    for (std::size_t k = 0; k < mode.multiplicity; ++k)
      files.push_back(folder / fmt::format("mode_{:03}.png", ++number));
  return files;
}

void write_modes(const RoomModes& room, const fs::path& folder, bool force) {
  const std::vector<fs::path> files = modes_files(room, folder);
  for (const fs::path& file : files) check_writable(file, force);
  AtomicFile file(files[0], force);
  write_h5(room, file.temporary(), files[0]);
  std::size_t next = 1;
  for (const RoomMode& mode : room.modes)
    for (const auto& shape : mode.shapes) {
      write_whole_file(files[next], shape_png(room.points, mode, shape, static_cast<int>(next)), force);
      ++next;
    }
  file.commit();
  if (force) remove_numbered(folder, "mode_", 3, ".png", next);
}

}  // namespace fdtd::cli
