#include "engine/results/snapshot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include <unistd.h>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5_frames.hpp"
#include "engine/results/stored_value.hpp"
#include "engine/results/xdmf.hpp"
#include "engine/run/snapshots.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/version.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little, "frames are written with the byte order of memory");

constexpr std::uintmax_t header_room = 1U << 20;  // more than HDF5 needs for groups and attributes
const std::string format_name = "fdtd snapshots";
constexpr double longest_spacing = 10000.0, longest_time = 3600.0;  // m, s: of a scene

SnapshotList list_of(const Plan& plan, const std::array<double, 3>& offset) {
  SnapshotList list;
  for (const Tap& source : plan.sources)
    if (source.channel.output()) list.sources.push_back(source.channel.owner);
  for (const SnapshotPlan& snapshot : plan.snapshots) {
    SnapshotSet& set = list.sets.emplace_back();
    set.name = snapshot.name;
    set.axis = snapshot.axis;
    set.size = frame_size(plan, snapshot);
    set.spacing = plan.grid.spacing;
    for (std::size_t d = 0; d < 3; ++d) {
      const double first = static_cast<int>(d) == snapshot.axis ? snapshot.index : 0;
      set.origin[d] = (first + 0.5) * plan.grid.spacing[d] - offset[d];
    }
    for (const std::int64_t step : snapshot.steps) set.times.push_back(static_cast<double>(step) * plan.grid.time_step);
  }
  return list;
}

std::string pressure_path(const SnapshotSet& set, const std::string& source) {
  return "/" + set.name + "/" + source + "/pressure";
}

H5Index layout_of(const SnapshotList& list) {
  H5Index layout;
  const auto set_value = [&](const std::string& object, const char* name, StoredValue value) {
    layout.values[{object, name}] = std::move(value);
  };
  std::vector<std::string> names;
  for (const SnapshotSet& set : list.sets) names.push_back(set.name);
  set_value("/", "format", format_name);
  set_value("/", "version", version());
  set_value("/", "snapshots", names);
  set_value("/", "sources", list.sources);
  for (const SnapshotSet& set : list.sets) {
    const std::string group = "/" + set.name;
    const auto frames = static_cast<std::int64_t>(set.times.size());
    layout.groups.insert(group);
    set_value(group, "axis", std::int64_t{set.axis});
    set_value(group, "origin", std::vector<double>(set.origin.begin(), set.origin.end()));
    set_value(group, "spacing", std::vector<double>(set.spacing.begin(), set.spacing.end()));
    layout.arrays[group + "/times"] = {ElementType::f64, {frames}, 0, {}};
    layout.arrays[group + "/air"] = {ElementType::u8, {set.size[2], set.size[1], set.size[0]}, 0, {}};
    for (const std::string& source : list.sources) {
      layout.groups.insert(group + "/" + source);
      layout.arrays[pressure_path(set, source)] = {
          ElementType::f32, {frames, set.size[2], set.size[1], set.size[0]}, 0, {}};
    }
  }
  return layout;
}

void write_places(const Plan& plan, const SnapshotList& list, const H5Index& index, PositionalFile& file) {
  for (std::size_t s = 0; s < list.sets.size(); ++s) {
    const SnapshotSet& set = list.sets[s];
    const SnapshotPlan& snapshot = plan.snapshots[s];
    file.write(index.arrays.at("/" + set.name + "/times").offset, std::as_bytes(std::span(set.times)));
    std::array<int, 3> first{};
    if (snapshot.axis < 3) first[static_cast<std::size_t>(snapshot.axis)] = snapshot.index;
    std::vector<std::uint8_t> layer(static_cast<std::size_t>(set.size[0] * set.size[1]));
    for (int z = 0; z < set.size[2]; ++z) {
      auto out = layer.begin();
      for (int y = 0; y < set.size[1]; ++y)
        for (int x = 0; x < set.size[0]; ++x) *out++ = plan.air(first[0] + x, first[1] + y, first[2] + z) ? 1 : 0;
      file.write(index.arrays.at("/" + set.name + "/air").offset + static_cast<std::uint64_t>(z) * layer.size(),
                 std::as_bytes(std::span(layer)));
    }
  }
}

// The bytes of a file before its first array.
std::string start_of(const fs::path& path, const H5Index& index) {
  std::uint64_t end = index.arrays.begin()->second.offset;
  for (const auto& [name, array] : index.arrays) end = std::min(end, array.offset);
  const InputFile file(path);
  std::string start(static_cast<std::size_t>(std::min(end, file.size())), '\0');
  file.read(0, start.data(), start.size());
  return start;
}

// The position of a plane in a frame.
Runs plane_runs(const SnapshotSet& set, int axis, std::int64_t index) {
  const auto [nx, ny, nz] = set.size;
  if (axis == 0) return {index, 1, ny * nz, nx};
  if (axis == 1) return {index * nx, nx, nz, nx * ny};
  return {index * nx * ny, nx * ny};
}

std::vector<std::uint8_t> checked_air(const std::string& name, std::vector<std::uint8_t> air, const fs::path& path) {
  for (const std::uint8_t one : air) check_value(path, name, one, one <= 1, "a node is air, 1, or not, 0");
  return air;
}

struct RemovedAtEnd {
  fs::path path;
  ~RemovedAtEnd() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

void require_room(const fs::path& folder, std::int64_t needed) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  if (code || space.available >= static_cast<std::uintmax_t>(needed) + header_room) return;
  throw Error(Status::file,
              fmt::format("{}: the snapshots need {} on the disk, {} are free", snapshot_files(folder)[0].string(),
                          human_bytes(static_cast<double>(needed)), human_bytes(static_cast<double>(space.available))),
              "use fewer frames (every, begin, end), planes instead of volumes, or another folder with -o");
}

}  // namespace

std::vector<fs::path> snapshot_files(const fs::path& folder) {
  return {folder / "snapshots.h5", folder / "snapshots.xdmf"};
}

fs::path unfinished_snapshots(const fs::path& folder) { return folder / "snapshots.h5.part"; }

SnapshotWriter::SnapshotWriter(const fs::path& folder, const Plan& plan, const std::array<double, 3>& offset,
                               bool resumed)
    : folder_(folder), list_(list_of(plan, offset)), index_(layout_of(list_)) {
  for (const Tap& source : plan.sources) owners_.push_back(source.channel.owner);
  const fs::path target = snapshot_files(folder)[0], part = unfinished_snapshots(folder);
  if (resumed) {
    resume(part);
    return;
  }
  std::error_code ignored;
  fs::remove(part, ignored);
  require_room(folder, snapshot_bytes(plan, count_shown(plan.sources)));
  make_frame_file(part, target, index_);
  file_.emplace(part, target);
  file_->reserve(file_->size());
  write_places(plan, list_, index_, *file_);
}

// The header of the file must be that of this plan, to the byte; then its arrays have the offsets of this plan. A
// session that ended while it finished its files may have sealed or renamed it already.
void SnapshotWriter::resume(const fs::path& part) {
  const auto refuse = [&](const char* what) {
    throw Error(Status::file, fmt::format("{}: {}", part.string(), what), "--force without --resume starts again");
  };
  std::error_code code;
  if (!fs::exists(part, code)) fs::rename(snapshot_files(folder_)[0], part, code);
  if (!fs::exists(part, code)) refuse("the frames of the run to resume are missing");
  // Frames are written in place: under another name, or behind a link, a file elsewhere would be changed.
  if (fs::is_symlink(part, code) || fs::hard_link_count(part, code) > 1)
    throw Error(Status::file, fmt::format("{}: is a link to another file", part.string()),
                "put a copy of that file in its place, and resume again");
  const RemovedAtEnd aside{folder_ / fmt::format(".snapshots.h5.{}-0.part", ::getpid())};
  fs::remove(aside.path, code);
  make_frame_file(aside.path, part, index_);
  const std::uintmax_t bytes = fs::file_size(aside.path);
  if (fs::file_size(part) < bytes || start_of(part, index_) != start_of(aside.path, index_))
    refuse("belongs to another run than the checkpoint");
  fs::resize_file(part, bytes, code);
  if (code) refuse("cannot be written");
  file_.emplace(part, part);
}

void SnapshotWriter::write(int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
  const SnapshotSet& set = list_.sets[static_cast<std::size_t>(snapshot)];
  const StoredArray& array = index_.arrays.at(pressure_path(set, owners_[static_cast<std::size_t>(source)]));
  file_->write(array.offset + static_cast<std::uint64_t>(frame) * values.size_bytes(), std::as_bytes(values));
}

std::vector<fs::path> SnapshotWriter::finish() {
  std::string seal;
  file_->whole([&](std::string_view bytes) { seal = index_and_seal(bytes, index_); });
  file_->write(file_->size(), std::as_bytes(std::span(seal)));
  file_->flush();
  file_.reset();
  const auto files = snapshot_files(folder_);
  write_whole_file(files[1], xdmf_text(list_, files[0].filename().string()), true);
  std::error_code code;
  fs::rename(unfinished_snapshots(folder_), files[0], code);
  if (code)
    throw Error(Status::file, fmt::format("{}: cannot be renamed into place: {}", files[0].string(), code.message()));
  return files;
}

SnapshotReader::SnapshotReader(const fs::path& path) : path_(path), file_(SealedFile::open(path)) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Status::file, fmt::format("{}: {}", path.string(), what), "is it a snapshots.h5 of this program?");
  };
  if (!file_.has("/", "format") || file_.text("/", "format") != format_name) refuse("holds no snapshots");
  list_.sources = file_.texts("/", "sources");
  check_stored_names(path, "/sources", list_.sources);
  check_stored_names(path, "/snapshots", file_.texts("/", "snapshots"));
  for (const std::string& name : file_.texts("/", "snapshots")) {
    SnapshotSet& set = list_.sets.emplace_back();
    set.name = name;
    const std::string group = "/" + name;
    const auto axis = file_.integer(group, "axis");
    const auto origin = file_.numbers(group, "origin"), spacing = file_.numbers(group, "spacing");
    const auto size = file_.shape(group + "/air");
    set.times = file_.read<double>(group + "/times");
    if (axis < 0 || axis > 3 || origin.size() != 3 || spacing.size() != 3 || size.size() != 3 || set.times.empty())
      refuse(group + " is not a snapshot");
    set.axis = static_cast<int>(axis);
    check_finite(path, group + " origin", origin);
    for (const double h : spacing)
      check_value(path, group + " spacing", h, h > 0.0 && h <= longest_spacing,
                  "a spacing is above 0 and at most 10000 m");
    check_value(path, group + "/times", set.times.front(), set.times.front() >= 0.0, "times are not negative");
    for (std::size_t f = 1; f < set.times.size(); ++f)
      check_value(path, group + "/times", set.times[f], set.times[f] > set.times[f - 1], "times rise");
    check_value(path, group + "/times", set.times.back(), set.times.back() <= longest_time, "a time is at most 3600 s");
    std::ranges::copy(origin, set.origin.begin());
    std::ranges::copy(spacing, set.spacing.begin());
    std::ranges::reverse_copy(size, set.size.begin());
    for (const std::string& source : list_.sources)
      if (file_.shape(pressure_path(set, source)) !=
          std::vector<std::int64_t>{static_cast<std::int64_t>(set.times.size()), size[0], size[1], size[2]})
        refuse(pressure_path(set, source) + " has a size that does not match its times and its air");
  }
}

std::vector<float> SnapshotReader::frame(const SnapshotSet& set, const std::string& source, std::size_t frame) const {
  const std::string path = pressure_path(set, source);
  auto values = file_.read<float>(path, {static_cast<std::int64_t>(frame) * set.values(), set.values()});
  check_finite(path_, path, values);
  return values;
}

std::vector<std::uint8_t> SnapshotReader::air(const SnapshotSet& set) const {
  return checked_air("/" + set.name + "/air", file_.read<std::uint8_t>("/" + set.name + "/air"), path_);
}

std::vector<float> SnapshotReader::plane(const SnapshotSet& set, const std::string& source, std::size_t frame, int axis,
                                         std::int64_t index) const {
  Runs runs = plane_runs(set, axis, index);
  runs.first += static_cast<std::int64_t>(frame) * set.values();
  const std::string path = pressure_path(set, source);
  auto values = file_.read<float>(path, runs);
  check_finite(path_, path, values);
  return values;
}

std::vector<std::uint8_t> SnapshotReader::plane_of_air(const SnapshotSet& set, int axis, std::int64_t index) const {
  const std::string name = "/" + set.name + "/air";
  return checked_air(name, file_.read<std::uint8_t>(name, plane_runs(set, axis, index)), path_);
}

}  // namespace fdtd
