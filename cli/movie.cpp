// fdtd movie: the frames of a snapshot as PNG pictures with time, walls and length, all with the same colour scale.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"
#include "engine/pictures/map_picture.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/session/measured_room.hpp"

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;

struct MovieCommand {
  std::string file, folder, snapshot, source, plane;
  std::optional<double> position, scale;
  int pixels = 480;
  bool force = false;
};

// A plane of nodes across an axis. The first of the other two runs to the right, the second upwards: x and y of a floor
// plan, x and z or y and z of a section.
struct Cut {
  int axis = 2;
  std::int64_t index = 0;
  int width = 0, height = 0;
};

Cut cut_of(const SnapshotSet& set, int axis, std::int64_t index) {
  return {axis, index, static_cast<int>(set.size[axis == 0 ? 1 : 0]), static_cast<int>(set.size[axis == 2 ? 1 : 2])};
}

// A plane is drawn whole; of a volume, the nodes nearest to a position, or the middle ones.
Cut chosen_cut(const SnapshotSet& set, const MovieCommand& options) {
  if (set.axis < 3) {
    if (options.position)
      throw Error(Status::scene, fmt::format("{} is a plane: --position applies to volumes only", set.name));
    if (const char own = static_cast<char>('x' + set.axis); !options.plane.empty() && options.plane[0] != own)
      throw Error(Status::scene,
                  fmt::format("{} is a plane across {}: --plane {} applies to volumes", set.name, own, options.plane),
                  "leave --plane out, or choose another --snapshot");
    return cut_of(set, set.axis, 0);
  }
  const std::string plane = options.plane.empty() ? "z" : options.plane;
  const int axis = plane[0] - 'x';
  const auto d = static_cast<std::size_t>(axis);
  const double middle = set.origin[d] + 0.5 * static_cast<double>(set.size[d] - 1) * set.spacing[d];
  const double node = (options.position.value_or(middle) - set.origin[d]) / set.spacing[d];
  if (!(node > -0.51 && node < static_cast<double>(set.size[d]) - 0.49))
    throw Error(Status::scene, fmt::format("{} = {:g} m is outside the volume", plane, *options.position));
  return cut_of(set, axis, std::clamp<std::int64_t>(std::llround(node), 0, set.size[d] - 1));
}

std::size_t find(const std::vector<std::string>& names, const std::string& name, const char* what) {
  if (name.empty()) return 0;
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(Status::scene, fmt::format("there is no {} \"{}\"", what, name), "there are " + listed(names));
  return static_cast<std::size_t>(found - names.begin());
}

// Magnitudes sorted into bins of a twentieth of a decade.
class Magnitudes {
 public:
  void add(float value) {
    const double magnitude = std::abs(static_cast<double>(value));
    if (!(magnitude > 1e-30)) return;
    const double bin = 20.0 * (std::log10(magnitude) + 30.0);
    ++bins_[static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins_.size() - 1)))];
    ++count_;
  }
  // The 99th percentile, to the width of a bin; 0 where everything is 0.
  double hundredth() const {
    std::int64_t above = 0;
    for (std::size_t bin = bins_.size(); bin-- > 0;) {
      above += bins_[bin];
      if (above * 100 >= count_ && above > 0) return std::pow(10.0, static_cast<double>(bin + 1) / 20.0 - 30.0);
    }
    return 0.0;
  }

 private:
  std::vector<std::int64_t> bins_ = std::vector<std::int64_t>(1200, 0);
  std::int64_t count_ = 0;
};

// The part of the picture that all frames of a cut share: no values, no title.
MapPicture map_of(const SnapshotSet& set, const Cut& cut, double scale, int pixels) {
  MapPicture map;
  map.quantity = "pressure (1: peak at 1 m in free field)";
  map.cells = {cut.width, cut.height};
  const std::array<std::size_t, 2> axes = {cut.axis == 0 ? 1U : 0U, cut.axis == 2 ? 1U : 2U};
  for (std::size_t a = 0; a < 2; ++a) {
    map.axes[a] = "xyz"[axes[a]];
    map.first[a] = set.origin[axes[a]];
    map.spacing[a] = set.spacing[axes[a]];
  }
  map.low = -scale;
  map.high = scale;
  map.diverging = true;
  map.scale_bar = true;
  map.pixels = pixels;
  return map;
}

// Decimals of a time in ms that set each frame apart from the next.
int time_decimals(const std::vector<double>& times) {
  double apart = 1.0;
  for (std::size_t f = 1; f < times.size(); ++f) apart = std::min(apart, 1000.0 * (times[f] - times[f - 1]));
  return std::clamp(static_cast<int>(std::ceil(-std::log10(std::max(apart, 1e-9)))), 1, 6);
}

std::vector<double> values_in_air(const std::vector<float>& frame, const std::vector<std::uint8_t>& air) {
  std::vector<double> values(frame.begin(), frame.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (air[i] == 0) values[i] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

// For a result or the folder of a run, the snapshots in it.
fs::path snapshots_of(const fs::path& file) {
  const fs::path result = result_file(file);
  if (result.filename() != "result.h5") return file;
  const fs::path snapshots = snapshot_files(result.parent_path())[0];
  if (fs::is_regular_file(result) && !fs::exists(snapshots))
    throw Error(
        Status::file, result.string() + ": the run took no snapshots",
        "the scene asks for them: output.snapshots = [{ plane = \"z\", position = 1.2, every = 0.001 }], in m and s");
  return snapshots;
}

void make_movie(const MovieCommand& options) {
  const fs::path file = snapshots_of(options.file);
  const SnapshotReader reader(file);
  const SnapshotList& list = reader.list();
  std::vector<std::string> names;
  for (const SnapshotSet& set : list.sets) names.push_back(set.name);
  if (names.empty() || list.sources.empty()) throw Error(Status::file, file.string() + ": holds no snapshots");
  const SnapshotSet& set = list.sets[find(names, options.snapshot, "snapshot")];
  const std::string& source = list.sources[find(list.sources, options.source, "source")];
  const Cut cut = chosen_cut(set, options);
  const auto plane = [&](std::size_t f) { return reader.plane(set, source, f, cut.axis, cut.index); };

  const fs::path folder =
      options.folder.empty() ? file.parent_path() / fmt::format("movie_{}", set.name) : fs::path(options.folder);
  OutputFolder made(folder);
  const auto picture = [&](std::size_t f) { return folder / fmt::format("frame_{:05}.png", f); };
  for (std::size_t f = 0; f < set.times.size(); ++f) check_writable(picture(f), options.force);

  Magnitudes magnitudes;
  for (std::size_t f = 0; f < set.times.size() && !options.scale; ++f)
    for (const float value : plane(f)) magnitudes.add(value);
  const double scale = options.scale.value_or(magnitudes.hundredth());
  const std::vector<std::uint8_t> air = reader.plane_of_air(set, cut.axis, cut.index);
  const auto axis = static_cast<std::size_t>(cut.axis);
  const double position = set.origin[axis] + static_cast<double>(cut.index) * set.spacing[axis];
  const int decimals = time_decimals(set.times);
  MapPicture map = map_of(set, cut, scale, options.pixels);
  for (std::size_t f = 0; f < set.times.size(); ++f) {
    map.title =
        fmt::format("{}, {} = {:.2f} m, {:.{}f} ms", source, "xyz"[axis], position, 1000.0 * set.times[f], decimals);
    map.values = values_in_air(plane(f), air);
    write_whole_file(picture(f), map_png(map), options.force);
  }
  made.keep();
  if (options.force) remove_numbered(folder, "frame_", 5, ".png", set.times.size());
  const int zoom = map_zoom(map);
  print_text("{} of {}, {} frames of {} x {} nodes, {} {} each, {:.4g} to {:.4g} s\n", set.name, source,
             set.times.size(), cut.width, cut.height, zoom * zoom, zoom > 1 ? "pixels" : "pixel", set.times.front(),
             set.times.back());
  print_text(
      "colours: -{0:.4g} blue, 0 white, {0:.4g} red, walls grey; 1 is the peak of the pulse at 1 m in free field\n",
      scale);
  print_text("wrote {} to {}\n", picture(0).string(), picture(set.times.size() - 1).filename().string());
}

}  // namespace

void add_movie(CLI::App& app, int& status) {
  auto options = std::make_shared<MovieCommand>();
  app.add_option("file", options->file, "snapshots.h5 of a run, the result.h5 beside it, or their folder")->required();
  app.add_option("-o,--output", options->folder,
                 "folder for the pictures; by default movie_<snapshot> beside the file");
  app.add_option("--snapshot", options->snapshot,
                 "name of the snapshot, as `fdtd plan` prints it; the first by default");
  app.add_option("--source", options->source, "name of the source; the first by default");
  app.add_option("--plane", options->plane, "for a volume: the axis perpendicular to the plane to draw")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->default_str("z");
  app.add_option("--position", options->position,
                 "for a volume: position of the plane along that axis in m; the middle by default");
  app.add_option("--scale", options->scale,
                 "pressure at the ends of the colour scale; by default the one that 1 % of all values exceed")
      ->check(CLI::PositiveNumber);
  app.add_option("--pixels", options->pixels,
                 "approximate length of the longer side of the plane in pixels; title, axes and scale come on top")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  app.add_flag("--force", options->force, "replace output files that exist");
  app.callback([options, &status] {
    make_movie(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli
