// modes.h5, and pictures of the shapes of modes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/small_rooms/modes_report.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/files/png.hpp"
#include "engine/reports/colour_map.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

// The horizontal plane of points on which the shape has the most energy.
int strongest_plane(const RoomPoints& points, const std::vector<std::complex<double>>& shape) {
  std::vector<double> energy(static_cast<std::size_t>(points.size[2]), 0.0);
  const std::int64_t plane = static_cast<std::int64_t>(points.size[0]) * points.size[1];
  for (std::size_t i = 0; i < shape.size(); ++i)
    energy[static_cast<std::size_t>(points.index[i] / plane)] += std::norm(shape[i]);
  return static_cast<int>(std::ranges::max_element(energy) - energy.begin());
}

// Blue and red: pressures of opposite sign at the time when the largest is real; grey: no point of the room.
std::string shape_png(const RoomPoints& points, const std::vector<std::complex<double>>& shape) {
  constexpr int colours = 255;
  std::vector<Colour> palette{{0x80, 0x80, 0x80}};
  for (const Colour& colour : diverging_colours(colours)) palette.push_back(colour);
  const int width = points.size[0], height = points.size[1], z = strongest_plane(points, shape);
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  const auto plane = static_cast<std::int64_t>(cells.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (points.index[i] / plane != z) continue;
    const double t = std::clamp(0.5 + 0.5 * shape[i].real(), 0.0, 1.0);
    cells[static_cast<std::size_t>(points.index[i] % plane)] =
        static_cast<std::uint8_t>(1 + std::lround(t * (colours - 1)));
  }
  const int zoom = std::clamp(480 / std::max(width, height), 1, 48);
  std::vector<std::uint8_t> pixels;
  for (int y = height * zoom; y-- > 0;)
    for (int x = 0; x < width * zoom; ++x)
      pixels.push_back(cells[static_cast<std::size_t>(y / zoom) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x / zoom)]);
  return encode_png(width * zoom, height * zoom, pixels, palette);
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
    for (const auto& shape : mode.shapes) write_whole_file(files[next++], shape_png(room.points, shape), force);
  file.commit();
}

}  // namespace fdtd::cli
