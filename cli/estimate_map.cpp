#include "cli/estimate_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/pictures/map_picture.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {

MapPlane parse_map_plane(const std::string& text, const Scene& scene) {
  MapPlane plane;
  double position = 0.0;
  const char* const end = text.data() + text.size();
  const bool named = text.size() > 2 && text[1] == '=' && text[0] >= 'x' && text[0] <= 'z';
  const auto [last, error] = named ? std::from_chars(text.data() + 2, end, position)
                                   : std::from_chars_result{text.data(), std::errc::invalid_argument};
  if (error != std::errc() || last != end || !std::isfinite(position))
    throw Error(Status::scene, fmt::format("--map: \"{}\" is not a plane", text),
                "write the axis across it and its position in m, as in z=1.2");
  plane.axis = static_cast<std::size_t>(text[0] - 'x');
  plane.position = position;
  const double low = scene.room.origin[plane.axis], high = low + scene.room.box[plane.axis];
  if (position < low || position > high)
    throw Error(Status::scene, fmt::format("--map: {} = {:g} m is outside the room", text[0], position),
                fmt::format("the room reaches from {:g} to {:g} m along {}", low, high, text[0]));
  return plane;
}

LevelMap::LevelMap(const Scene& scene, const MapPlane& plane, std::vector<double> octaves)
    : scene_(&scene), plane_(plane), octaves_(std::move(octaves)) {
  across_ = plane.axis == 0 ? 1 : 0;
  up_ = plane.axis == 2 ? 1 : 2;
  levels_.resize(scene.sources.size());
}

void LevelMap::shape(const DiffusionRoom& room) {
  width_ = room.cells[across_];
  height_ = room.cells[up_];
  const double along = plane_.position - scene_->room.origin[plane_.axis];
  layer_ = std::clamp(static_cast<int>(along / room.spacing[plane_.axis]), 0, room.cells[plane_.axis] - 1);
  for (int x = 0; x < width_; ++x) x_.push_back(scene_->room.origin[across_] + (x + 0.5) * room.spacing[across_]);
  for (int y = 0; y < height_; ++y) y_.push_back(scene_->room.origin[up_] + (y + 0.5) * room.spacing[up_]);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      std::array<int, 3> cell{};
      cell[across_] = x, cell[up_] = y, cell[plane_.axis] = layer_;
      air_.push_back(room.is_air(cell[0], cell[1], cell[2]) ? 1 : 0);
    }
  const std::size_t count = octaves_.size() * air_.size();
  for (auto& one : levels_) one.assign(count, std::numeric_limits<double>::quiet_NaN());
}

void LevelMap::add(const DiffusionRoom& room, const DiffusionModel& model, const DiffusionField& field,
                   double attenuation, std::size_t band, std::size_t source) {
  if (x_.empty()) shape(room);
  const double over_direct = scene_->air.speed() * 4.0 * std::numbers::pi * 100.0;
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
      std::array<int, 3> cell{};
      cell[across_] = x, cell[up_] = y, cell[plane_.axis] = layer_;
      if (air_[at] == 0 || !model.reached(source)[room.cell_of(cell[0], cell[1], cell[2])]) continue;
      std::array<double, 3> place{};
      for (std::size_t d = 0; d < 3; ++d) place[d] = (cell[d] + 0.5) * room.spacing[d];
      const double w = model.at(field.steady, place) + model.direct(source, place, attenuation);
      if (w > 0.0) levels_[source][band * air_.size() + at] = 10.0 * std::log10(w * over_direct);
    }
}

std::vector<std::filesystem::path> LevelMap::files(const std::filesystem::path& folder) const {
  std::vector<std::filesystem::path> files{folder / "estimate.h5"};
  for (const SourceSpec& source : scene_->sources) files.push_back(folder / fmt::format("level_{}.png", source.name));
  return files;
}

std::string LevelMap::png(std::size_t source, std::size_t band, double low, double high) const {
  const SourceSpec& one = scene_->sources[source];
  MapPicture map;
  map.title = fmt::format("{}, {} = {:g} m", one.name, "xyz"[plane_.axis], plane_.position);
  map.quantity = fmt::format("level at {:g} Hz (dB)", octaves_[band]);
  map.cells = {width_, height_};
  map.axes = {"xyz"[across_], "xyz"[up_]};
  map.first = {x_.front(), y_.front()};
  map.spacing = {width_ > 1 ? x_[1] - x_[0] : scene_->room.box[across_],
                 height_ > 1 ? y_[1] - y_[0] : scene_->room.box[up_]};
  const auto first = levels_[source].begin() + static_cast<std::ptrdiff_t>(band * air_.size());
  map.values.assign(first, first + static_cast<std::ptrdiff_t>(air_.size()));
  map.low = low;
  map.high = high;
  map.marks.push_back({{one.position[across_], one.position[up_]}, one.name});
  return map_png(map);
}

std::optional<std::pair<double, double>> LevelMap::write(const std::filesystem::path& folder, bool force,
                                                         double picture) const {
  if (x_.empty())
    throw Error(Status::scene, "--map: nothing absorbs what the sources emit, so there is no steady level to draw",
                "give a wall absorption, or leave --no-air out");
  if (std::ranges::none_of(levels_, [](const std::vector<double>& levels) {
        return std::ranges::any_of(levels, [](double level) { return std::isfinite(level); });
      }))
    throw Error(Status::scene,
                fmt::format("--map: no sound gets to the plane {} = {:g} m", "xyz"[plane_.axis], plane_.position),
                "it lies in walls or in spaces without a source: choose another");
  const auto names = files(folder);
  AtomicFile file(names[0], force);
  H5File h5 = H5File::create(file.temporary(), names[0]);
  h5.set("/", "format", std::string("fdtd estimate"));
  h5.set("/", "schema_version", std::int64_t{1});
  h5.set("/", "version", version_line());
  h5.set("/", "scene", scene_->text);
  h5.set("/", "overrides", scene_->overrides);
  h5.set("/", "plane", std::string(1, "xyz"[plane_.axis]));
  h5.set("/", "position", plane_.position);
  h5.write<double>("/octaves", octaves_);
  h5.write<double>("/across", x_);
  h5.write<double>("/up", y_);
  h5.write_dimension("octave", static_cast<std::int64_t>(octaves_.size()));
  h5.write_dimension("row", height_);
  h5.write_dimension("column", width_);
  h5.group("/level");
  for (std::size_t s = 0; s < levels_.size(); ++s)
    h5.write_on("/level/" + scene_->sources[s].name, levels_[s], {"octave", "row", "column"});
  h5.close();
  const std::size_t band = static_cast<std::size_t>(std::ranges::find(octaves_, picture) - octaves_.begin());
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& levels : levels_)
    for (std::size_t i = band * air_.size(); i < (band + 1) * air_.size(); ++i)
      if (std::isfinite(levels[i])) low = std::min(low, levels[i]), high = std::max(high, levels[i]);
  high = std::min(high, low + 40.0);  // near the source level has no bound
  for (std::size_t s = 0; s < levels_.size(); ++s) write_whole_file(names[s + 1], png(s, band, low, high), force);
  file.commit();
  if (!(low < std::numeric_limits<double>::infinity())) return std::nullopt;
  return std::pair(low, high);
}

}  // namespace fdtd::cli
