// Reading: whatever the file holds is checked before it is used.
#include "engine/results/result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/above_file.hpp"
#include "engine/results/ears_file.hpp"
#include "engine/results/energy_file.hpp"
#include "engine/results/response_arrays.hpp"
#include "engine/results/result_check.hpp"
#include "engine/results/result_schema.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {

namespace {

std::vector<ChannelMix> mixes_of(const std::vector<double>& numbers) {
  std::vector<ChannelMix> mixes;
  const auto index = [](double x) { return x >= 0.0 && x <= 1e9 ? static_cast<int>(x) : -1; };
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
    mixes.push_back({index(numbers[i]), index(numbers[i + 1]), numbers[i + 2]});
  return mixes;
}

// Filters that do not fit are cut short; check_result refuses them.
std::vector<ChannelFilter> read_filters(const SealedFile& file, const std::string& group) {
  std::vector<ChannelFilter> filters;
  if (!file.exists(group + "/filter_of")) return filters;
  const std::vector<std::int64_t> of = file.read<std::int64_t>(group + "/filter_of");
  const std::vector<double> cut = file.read<double>(group + "/filter_cut"),
                            values = file.read<double>(group + "/filter_values");
  std::size_t at = 0;
  for (std::size_t i = 0; 3 * i + 2 < of.size(); ++i) {
    const auto index = [&](std::size_t k) {
      return of[3 * i + k] >= 0 && of[3 * i + k] <= 1000000 ? static_cast<int>(of[3 * i + k]) : -1;
    };
    ChannelFilter& one = filters.emplace_back();
    one.source = index(0);
    one.into = index(1);
    one.cut = i < cut.size() ? cut[i] : -1.0;
    for (int k = index(2); k > 0 && at + 2 < values.size(); --k, at += 3) {
      one.frequencies.push_back(values[at]);
      one.values.emplace_back(values[at + 1], values[at + 2]);
    }
  }
  return filters;
}

ChannelOptions read_channels(const SealedFile& file) {
  const std::string group = "/render/capsules";
  // Those outside of 0 to `most` become -1.
  const auto integers = [&](const char* name, std::int64_t most) {
    std::vector<int> values;
    for (const auto n : file.read<std::int64_t>(group + name))
      values.push_back(n >= 0 && n <= most ? static_cast<int>(n) : -1);
    return values;
  };
  const auto orders = [&](const char* name) { return integers(name, 9); };
  ChannelOptions channels;
  channels.sound_speed = file.number(group, "sound_speed");
  channels.source_orders = orders("/source_orders");
  channels.receiver_orders = orders("/receiver_orders");
  if (file.exists(group + "/source_leads")) channels.source_leads = integers("/source_leads", 1000000);
  channels.source_mixes = mixes_of(file.read<double>(group + "/source_mixes"));
  channels.receiver_mixes = mixes_of(file.read<double>(group + "/receiver_mixes"));
  channels.cut = file.read<double>(group + "/cut");
  channels.filters = read_filters(file, group);
  if (file.exists(group + "/near_corner")) channels.near_corner = file.read<double>(group + "/near_corner");
  if (!file.exists(group + "/near_field")) return channels;
  const auto numbers = file.read<double>(group + "/near_field");
  channels.near_field.resize(numbers.size() / NearField{}.size());
  for (std::size_t i = 0; i < channels.near_field.size(); ++i)
    for (std::size_t j = 0; j < NearField{}.size(); ++j)
      channels.near_field[i][j] = numbers[i * NearField{}.size() + j];
  return channels;
}

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, path.string() + ": " + what, "the file is damaged, or another program wrote it");
}

// Channels in the order of their index, and positions.
void read_places(const SealedFile& file, const std::filesystem::path& path, const std::string& group,
                 std::vector<ChannelId>& channels, std::vector<std::array<double, 3>>& positions,
                 std::vector<std::array<double, 3>>& directions) {
  const auto found = file.names(group);
  std::vector<std::string> names(found.size());
  positions.resize(found.size());
  directions.assign(found.size(), {});
  for (const auto& name : found) {
    check_stored_name(path, group, name);
    const std::string one = group + "/" + name;
    const auto index = file.integer(one, "index");
    const auto place = file.numbers(one, "position");
    if (index < 0 || index >= static_cast<std::int64_t>(found.size()) ||
        !names[static_cast<std::size_t>(index)].empty())
      damaged(path, one + " has an impossible index");
    if (place.size() != 3) damaged(path, one + " has no position in space");
    check_finite(path, one + " position", place);
    names[static_cast<std::size_t>(index)] = name;
    std::copy(place.begin(), place.end(), positions[static_cast<std::size_t>(index)].begin());
    if (!file.has(one, "direction")) continue;
    const auto aim = file.numbers(one, "direction");
    if (aim.size() != 3) damaged(path, one + " has no direction in space");
    check_finite(path, one + " direction", aim);
    check_value(path, one + " direction", std::hypot(aim[0], aim[1], aim[2]), aim != std::vector<double>(3, 0.0),
                "a direction is not zero");
    std::copy(aim.begin(), aim.end(), directions[static_cast<std::size_t>(index)].begin());
  }
  channels = read_channel_names(names);
}

// Datasets <group>/<receiver>/<leaf>, sources x samples each, into values[(s * receivers + r) * samples + n].
std::int64_t read_channels(const SealedFile& file, const std::filesystem::path& path, const std::string& group,
                           const std::string& leaf, const Recording& names, std::vector<double>& values) {
  const std::size_t sources = names.sources.size(), receivers = names.receivers.size();
  std::int64_t samples = 0;
  for (std::size_t r = 0; r < receivers; ++r) {
    const std::string dataset = group + "/" + names.receivers[r].name + "/" + leaf;
    const auto shape = file.shape(dataset);
    if (shape.size() != 2 || shape[0] != static_cast<std::int64_t>(sources) || (r > 0 && shape[1] != samples))
      damaged(path, dataset + " does not have the shape sources x samples");
    const auto rows = file.read<double>(dataset);  // also refuses sizes beyond that of the file
    check_finite(path, dataset, rows);
    samples = shape[1];
    const auto length = static_cast<std::size_t>(samples);
    values.resize(sources * receivers * length);
    for (std::size_t s = 0; s < sources; ++s)
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(s * length), length,
                  values.begin() + static_cast<std::ptrdiff_t>((s * receivers + r) * length));
  }
  return samples;
}

// A group for each receiver.
void read_response_groups(const SealedFile& file, const std::filesystem::path& path, Result& result) {
  Recording& recording = result.recording;
  read_places(file, path, "/receivers", recording.receivers, result.receiver_positions, result.receiver_directions);
  recording.samples = read_channels(file, path, "/raw", "record", recording, recording.pressure);
  result.rendered.samples = read_channels(file, path, "/receivers", "pressure", recording, result.rendered.ir);
  for (const ChannelId& receiver : recording.receivers) {
    const std::string object = "/receivers/" + receiver.name + "/pressure";
    const double rate = file.number(object, "sample_rate");
    if (result.rendered.sample_rate == 0.0) result.rendered.sample_rate = rate;
    check_value(path, object + " sample_rate", rate, rate == result.rendered.sample_rate,
                "another receiver's is another");
    result.raw = file.exists("/raw/" + receiver.name + "/pressure");
  }
}

void read_options(const std::filesystem::path& path, const SealedFile& file, Result& result) {
  auto& options = result.options;
  options.output_rate = file.number("/render", "output_rate");
  options.low_cut = file.number("/render", "low_cut");
  options.bandwidth = file.number("/render", "bandwidth");
  if (file.has("/render", "branch")) options.branch = file.number("/render", "branch");
  options.duration = file.number("/render", "duration");
  const std::int64_t undoes = file.integer("/render", "remove_time_dispersion");
  check_value(path, "/render remove_time_dispersion", static_cast<double>(undoes), undoes == 0 || undoes == 1,
              "it is 0 or 1");
  if (undoes != 0) options.frequency_map = FrequencyMap::time();
  if (file.exists("/render/frequency_map")) {
    const auto map = FrequencyMap::from_numbers(file.read<double>("/render/frequency_map"));
    if (!map) damaged(path, "/render/frequency_map is no map of frequencies");
    options.frequency_map = *map;
  }
  result.format = file.text("/render", "format");
  result.rendered.remarks = file.texts("/render", "remarks");
  if (file.has("/render", "sound_speed")) result.sound_speed = file.number("/render", "sound_speed");
  if (file.exists("/render/capsules")) options.channels = read_channels(file);
  if (file.exists("/render/air"))
    options.air = AirState{file.number("/render/air", "temperature"), file.number("/render/air", "relative_humidity"),
                           file.number("/render/air", "pressure"), file.number("/render/air", "sound_speed")};
  if (file.exists("/render/weights")) options.weights = file.read<double>("/render/weights");
  if (!file.exists("/render/gain")) return;
  const auto shape = file.shape("/render/gain");
  const auto values = file.read<double>("/render/gain");
  const std::size_t length = shape.size() == 2 && shape[0] > 0 ? values.size() / static_cast<std::size_t>(shape[0]) : 0;
  for (std::size_t begin = 0; length > 0 && begin < values.size(); begin += length)
    options.gain.tables.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                     values.begin() + static_cast<std::ptrdiff_t>(begin + length));
  for (const std::int64_t i : file.read<std::int64_t>("/render/gain_of"))
    options.gain.of.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(i, -1, 0xFFFFFFFF)));
}

}  // namespace

double distance_of(const Result& result, std::size_t channel) {
  const std::size_t receivers = result.receiver_positions.size();
  const auto &from = result.source_positions[channel / receivers], &to = result.receiver_positions[channel % receivers];
  return std::hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2]);
}

namespace {

SealedFile open_result(const std::filesystem::path& path) {
  SealedFile file = SealedFile::open(path);
  if (file.text("/", "format") != result_format_name) damaged(path, "is not a result of this program");
  const auto version = file.integer("/", "schema_version");
  if (version != schema_of_groups && version != schema_of_arrays)
    throw Error(Status::file, fmt::format("{}: has schema version {}, this program reads {} and {}", path.string(),
                                          version, schema_of_groups, schema_of_arrays));
  return file;
}

}  // namespace

Provenance read_provenance(const std::filesystem::path& path) {
  const SealedFile file = open_result(path);
  return {file.text("/provenance", "version"),
          file.text("/provenance", "scene"),
          file.texts("/provenance", "overrides"),
          file.text("/provenance", "build"),
          file.text("/provenance/run", "device"),
          file.has("/provenance", "waves") ? file.text("/provenance", "waves") : ""};
}

ResultFigures read_result_figures(const std::filesystem::path& path) {
  const SealedFile file = open_result(path);
  Recording names;
  std::vector<std::array<double, 3>> positions, directions;
  read_places(file, path, "/sources", names.sources, positions, directions);
  if (file.integer("/", "schema_version") == schema_of_arrays)
    names.receivers = read_response_channels(file, path);
  else
    read_places(file, path, "/receivers", names.receivers, positions, directions);
  return {names.sources, names.receivers, read_figures(file, path, names)};
}

Result read_result(const std::filesystem::path& path) {
  const SealedFile file = open_result(path);
  Result result;
  result.version = file.text("/provenance", "version");
  result.build = file.text("/provenance", "build");
  result.scene_text = file.text("/provenance", "scene");
  result.overrides = file.texts("/provenance", "overrides");
  result.plan_json = file.text("/provenance", "plan");
  result.run.device = file.text("/provenance/run", "device");
  result.run.date = file.text("/provenance/run", "date");
  result.run.wall_seconds = file.number("/provenance/run", "wall_seconds");
  if (file.has("/provenance", "waves")) result.wave_print = file.text("/provenance", "waves");
  if (file.has("/provenance", "box")) {
    const auto box = file.numbers("/provenance", "box");
    if (box.size() != 3) damaged(path, "/provenance has no box in space");
    check_finite(path, "/provenance box", box);
    std::copy(box.begin(), box.end(), result.room_box.begin());
  }
  if (file.has("/metrics", "json")) result.metrics_json = file.text("/metrics", "json");
  if (file.exists("/materials")) result.materials_json = file.text("/materials", "json");
  if (file.exists("/notches")) result.notches_json = file.text("/notches", "json");
  result.surface = read_surface(file, path);
  Recording& recording = result.recording;
  read_places(file, path, "/sources", recording.sources, result.source_positions, result.source_directions);
  const bool arrays = file.integer("/", "schema_version") == schema_of_arrays;
  if (arrays)
    read_response_arrays(file, path, result);
  else
    read_response_groups(file, path, result);
  result.figures = read_figures(file, path, recording);
  read_options(path, file, result);
  recording.sample_rate = file.number("/raw", "sample_rate");
  if (file.numbers("/raw", "drive") != std::vector<double>{1.0, -1.0})
    damaged(path, "/raw has a drive that this program does not know");
  read_energy(file, path, recording);
  result.above = read_above(file, path, recording);
  if (result.above && file.has("/above", "agreement")) result.agreement_json = file.text("/above", "agreement");
  read_ears(file, path, result);
  check_result(path, file, result);
  return result;
}

}  // namespace fdtd
