#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/h5.hpp"
#include "engine/results/above_file.hpp"
#include "engine/results/ears_file.hpp"
#include "engine/results/energy_file.hpp"
#include "engine/results/response_arrays.hpp"
#include "engine/results/result.hpp"
#include "engine/results/result_schema.hpp"

namespace fdtd {

namespace {

using Rows = std::vector<std::span<const double>>;

// Rows of receiver r out of values[(s * receivers + r) * samples + n].
Rows rows_of(const std::vector<double>& values, std::size_t sources, std::size_t receivers, std::size_t r,
             std::int64_t samples) {
  Rows rows;
  const auto length = static_cast<std::size_t>(samples);
  for (std::size_t s = 0; s < sources; ++s)
    rows.push_back(std::span(values).subspan((s * receivers + r) * length, length));
  return rows;
}

void check(const Result& result) {
  const auto refuse = [](const std::string& what) { throw Error(Status::scene, "cannot write the result: " + what); };
  const auto& recording = result.recording;
  for (const auto* channels : {&recording.sources, &recording.receivers}) {
    std::set<std::string> seen;
    for (const std::string& name : channel_names(*channels))
      if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos || !seen.insert(name).second)
        refuse(fmt::format("the name \"{}\" is empty, used twice, or not valid for a file", name));
  }
  const std::size_t channels = recording.sources.size() * recording.receivers.size();
  if (result.source_positions.size() != recording.sources.size() ||
      result.receiver_positions.size() != recording.receivers.size())
    refuse("names and positions differ in number");
  if (recording.samples < 0 || recording.pressure.size() != channels * static_cast<std::size_t>(recording.samples))
    refuse("the record's size is not sources x receivers x samples");
  if (result.rendered.samples < 0 ||
      result.rendered.ir.size() != channels * static_cast<std::size_t>(result.rendered.samples))
    refuse("the responses' size is not sources x receivers x samples");
  if (recording.energy.size() != recording.senders().size()) refuse("energies and passes differ in number");
}

// Whether responses are too many for a group each.
bool holds_arrays(const Recording& recording) {
  return recording.sources.size() * recording.receivers.size() > max_single_responses;
}

void write_provenance(H5File& file, const Result& result) {
  file.set("/", "schema_version", holds_arrays(result.recording) ? schema_of_arrays : schema_of_groups);
  file.set("/", "format", std::string(result_format_name));
  file.group("/provenance");
  file.set("/provenance", "version", result.version);
  file.set("/provenance", "build", result.build);
  file.set("/provenance", "scene", result.scene_text);
  file.set("/provenance", "overrides", result.overrides);
  file.set("/provenance", "plan", result.plan_json);
  if (!result.wave_print.empty()) file.set("/provenance", "waves", result.wave_print);
  if (result.room_box[0] > 0.0) file.set("/provenance", "box", std::span<const double>(result.room_box));
  file.group("/provenance/run");
  file.set("/provenance/run", "device", result.run.device, 128);
  file.set("/provenance/run", "date", result.run.date, 32);
  file.set("/provenance/run", "wall_seconds", result.run.wall_seconds);
  if (!result.metrics_json.empty() || result.figures) file.group("/metrics");
  if (!result.metrics_json.empty()) file.set("/metrics", "json", result.metrics_json);
  if (result.figures) write_figures(file, result.recording, *result.figures);
  if (!result.materials_json.empty()) {
    file.group("/materials");
    file.set("/materials", "json", result.materials_json);
  }
  if (!result.notches_json.empty()) {
    file.group("/notches");
    file.set("/notches", "json", result.notches_json);
  }
  write_surface(file, result.surface);
}

void write_places(H5File& file, const std::string& group, const std::vector<ChannelId>& channels,
                  const std::vector<std::array<double, 3>>& positions,
                  const std::vector<std::array<double, 3>>& directions) {
  file.group(group);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string one = group + "/" + channels[i].name;
    file.group(one);
    file.set(one, "index", static_cast<std::int64_t>(i));
    file.set(one, "position", std::span<const double>(positions[i]));
    if (i < directions.size() && directions[i] != std::array<double, 3>{})
      file.set(one, "direction", std::span<const double>(directions[i]));
  }
}

std::vector<double> numbers_of(const std::vector<ChannelMix>& mixes) {
  std::vector<double> numbers;
  for (const ChannelMix& mix : mixes)
    numbers.insert(numbers.end(), {static_cast<double>(mix.of), static_cast<double>(mix.with), mix.fraction});
  return numbers;
}

void write_channels(H5File& file, const ChannelOptions& channels) {
  const std::string group = "/render/capsules";
  const auto whole = [](const std::vector<int>& values) {
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  file.group(group);
  file.set(group, "sound_speed", channels.sound_speed);
  file.write<std::int64_t>(group + "/source_orders", whole(channels.source_orders));
  file.write<std::int64_t>(group + "/receiver_orders", whole(channels.receiver_orders));
  if (!channels.source_leads.empty()) file.write<std::int64_t>(group + "/source_leads", whole(channels.source_leads));
  file.write<double>(group + "/source_mixes", numbers_of(channels.source_mixes));
  file.write<double>(group + "/receiver_mixes", numbers_of(channels.receiver_mixes));
  file.write<double>(group + "/cut", channels.cut);
  if (!channels.filters.empty()) {
    std::vector<std::int64_t> of;
    std::vector<double> cut, values;
    for (const ChannelFilter& one : channels.filters) {
      of.insert(of.end(), {one.source, one.into, static_cast<std::int64_t>(one.frequencies.size())});
      cut.push_back(one.cut);
      for (std::size_t k = 0; k < one.frequencies.size(); ++k)
        values.insert(values.end(), {one.frequencies[k], one.values[k].real(), one.values[k].imag()});
    }
    file.write<std::int64_t>(group + "/filter_of", of);
    file.write<double>(group + "/filter_cut", cut);
    file.write<double>(group + "/filter_values", values);
  }
  if (!channels.near_corner.empty()) file.write<double>(group + "/near_corner", channels.near_corner);
  if (channels.near_field.empty()) return;
  std::vector<std::vector<double>> rows;
  for (const NearField& one : channels.near_field) rows.emplace_back(one.begin(), one.end());
  file.write_rows<double>(group + "/near_field", Rows(rows.begin(), rows.end()));
}

void write_options(H5File& file, const Result& result) {
  const auto& options = result.options;
  file.group("/render");
  file.set("/render", "output_rate", options.output_rate);
  file.set("/render", "low_cut", options.low_cut);
  file.set("/render", "bandwidth", options.bandwidth);
  if (options.branch > 0.0) file.set("/render", "branch", options.branch);
  file.set("/render", "duration", options.duration);
  file.set("/render", "remove_time_dispersion", std::int64_t{options.frequency_map.undoes()});
  if (const std::vector<double> numbers = options.frequency_map.numbers(); !numbers.empty())
    file.write<double>("/render/frequency_map", numbers);
  file.set("/render", "format", result.format);
  file.set("/render", "remarks", result.rendered.remarks);
  if (result.sound_speed > 0.0) file.set("/render", "sound_speed", result.sound_speed);
  if (options.channels) write_channels(file, *options.channels);
  if (options.air) {
    file.group("/render/air");
    file.set("/render/air", "temperature", options.air->temperature);
    file.set("/render/air", "relative_humidity", options.air->relative_humidity);
    file.set("/render/air", "pressure", options.air->pressure);
    file.set("/render/air", "sound_speed", options.air->sound_speed);
  }
  if (!options.weights.empty()) file.write<double>("/render/weights", options.weights);
  if (options.gain.tables.empty()) return;
  file.write_rows<double>("/render/gain", Rows(options.gain.tables.begin(), options.gain.tables.end()));
  file.write<std::int64_t>("/render/gain_of",
                           std::vector<std::int64_t>(options.gain.of.begin(), options.gain.of.end()));
}

void write_responses(H5File& file, const Result& result) {
  const auto& recording = result.recording;
  const std::size_t sources = recording.sources.size(), receivers = recording.receivers.size();
  for (std::size_t r = 0; r < receivers; ++r) {
    const std::string path = "/receivers/" + recording.receivers[r].name + "/pressure";
    const Rows rows = rows_of(result.rendered.ir, sources, receivers, r, result.rendered.samples);
    std::vector<double> peaks(sources, 0.0);
    for (std::size_t s = 0; s < sources; ++s)
      for (const double x : rows[s]) peaks[s] = std::max(peaks[s], std::abs(x));
    file.write_rows<double>(path, rows);
    file.set(path, "sample_rate", result.rendered.sample_rate);
    file.set(path, "peak", std::span<const double>(peaks));
    file.set(path, "convention", std::string(response_convention()));
  }
}

void write_raw(H5File& file, const Result& result) {
  const auto& recording = result.recording;
  const std::size_t sources = recording.sources.size(), receivers = recording.receivers.size();
  for (std::size_t r = 0; r < receivers; ++r) {
    const std::string group = "/raw/" + recording.receivers[r].name;
    file.group(group);
    const Rows rows = rows_of(recording.pressure, sources, receivers, r, recording.samples);
    file.write_rows<double>(group + "/record", rows);
    if (!result.raw) continue;
    std::vector<std::vector<double>> sums;
    for (const auto& row : rows) {
      sums.emplace_back(row.begin(), row.end());
      double sum = 0.0;
      for (double& x : sums.back()) x = sum += x;
    }
    file.write_rows<double>(group + "/pressure", Rows(sums.begin(), sums.end()));
  }
}

}  // namespace

void write_result(const std::filesystem::path& target, const Result& result, bool force) {
  check(result);
  const bool arrays = holds_arrays(result.recording);
  AtomicFile whole(target, force);
  H5File file = arrays ? H5File::create_large(whole.temporary(), target) : H5File::create(whole.temporary(), target);
  write_provenance(file, result);
  write_places(file, "/sources", result.recording.sources, result.source_positions, result.source_directions);
  write_options(file, result);
  file.group("/raw");
  file.set("/raw", "sample_rate", result.recording.sample_rate);
  file.set("/raw", "drive", std::span<const double>(std::array<double, 2>{1.0, -1.0}));
  if (arrays) {
    write_response_arrays(file, result);
  } else {
    write_places(file, "/receivers", result.recording.receivers, result.receiver_positions, result.receiver_directions);
    write_responses(file, result);
    write_raw(file, result);
  }
  write_energy(file, result.recording);
  if (result.above) write_above(file, *result.above);
  if (result.above && !result.agreement_json.empty()) file.set("/above", "agreement", result.agreement_json);
  write_ears(file, result);
  file.close();
  whole.commit();
}

}  // namespace fdtd
