#include "engine/results/ears_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/results/stored_value.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

const std::string ears_group = "/ears";

[[noreturn]] void refuse_ears(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, fmt::format("{}: {}", path.string(), what),
              "the file is damaged, or another program wrote it");
}

Point point_of(const SealedFile& file, const std::filesystem::path& path, const std::string& group, const char* name) {
  const std::vector<double> numbers = file.numbers(group, name);
  if (numbers.size() != 3) refuse_ears(path, fmt::format("{} {} is no vector", group, name));
  check_finite(path, group + " " + name, numbers);
  return {numbers[0], numbers[1], numbers[2]};
}

EarFilters read_filters(const SealedFile& file, const std::filesystem::path& path, const std::string& group,
                        int channels) {
  EarFilters filters;
  const auto within = [&](const char* name, double least, double most) {
    const double x = file.number(group, name);
    check_value(path, group + " " + name, x, x >= least && x <= most,
                fmt::format("it is {:g} to {:g}", least, most).c_str());
    return x;
  };
  filters.order = static_cast<int>(std::lround(std::sqrt(channels))) - 1;
  filters.sample_rate = within("filter_rate", 1000.0, 1e6);
  filters.lead = within("lead", 0.0, 10.0);
  filters.exact_to = within("exact_to", 0.0, 1e6);
  filters.ears = file.read<double>(group + "/filters");
  check_finite(path, group + "/filters", filters.ears);
  const std::size_t rows = 2 * static_cast<std::size_t>(channels);
  filters.taps = filters.ears.size() / rows;
  if (harmonic_count(filters.order) != static_cast<std::size_t>(channels) || filters.taps == 0 ||
      filters.ears.size() != rows * filters.taps)
    refuse_ears(path, group + "/filters are not those of the receiver's channels");
  return filters;
}

}  // namespace

void write_ears(H5File& file, const Result& result) {
  if (result.binaural.empty()) return;
  file.group(ears_group);
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  for (std::size_t i = 0; i < result.binaural.size(); ++i) {
    const BinauralReceiver& one = result.binaural[i];
    const std::string group = ears_group + "/" + one.name;
    file.group(group);
    file.set(group, "index", static_cast<std::int64_t>(i));
    file.set(group, "hrtf", one.file);
    file.set(group, "front", std::span<const double>(one.front));
    file.set(group, "up", std::span<const double>(one.up));
    file.set(group, "rotations", std::span<const double>(one.rotations));
    file.set(group, "filter_rate", one.filters->sample_rate);
    file.set(group, "lead", one.filters->lead);
    file.set(group, "exact_to", one.filters->exact_to);
    const std::size_t rows = 2 * harmonic_count(one.filters->order);
    file.write<double>(group + "/filters", one.filters->ears, {2, rows / 2, one.filters->taps});
    const std::uint64_t sources = one.ears.size() / std::max<std::size_t>(1, 2 * one.rotations.size() * samples);
    file.write<double>(group + "/pressure", one.ears, {sources, one.rotations.size(), 2, samples});
    file.set(group + "/pressure", "sample_rate", result.rendered.sample_rate);
  }
}

void read_ears(const SealedFile& file, const std::filesystem::path& path, Result& result) {
  std::vector<ChannelGroup> receivers;
  for (ChannelGroup& one : groups_of(result.recording.receivers))
    if (one.binaural) receivers.push_back(std::move(one));
  if (receivers.empty() && !file.exists(ears_group)) return;
  if (!file.exists(ears_group) || file.names(ears_group).size() != receivers.size())
    refuse_ears(path, ears_group + " does not hold the binaural receivers");
  const std::size_t sources = groups_of(result.recording.sources).size();
  for (const ChannelGroup& receiver : receivers) {
    const std::string group = ears_group + "/" + receiver.name;
    if (!file.exists(group)) refuse_ears(path, group + " is missing");
    BinauralReceiver one;
    one.name = receiver.name;
    one.file = file.text(group, "hrtf");
    one.front = point_of(file, path, group, "front");
    one.up = point_of(file, path, group, "up");
    const double across = std::hypot(one.front[1] * one.up[2] - one.front[2] * one.up[1],
                                     one.front[2] * one.up[0] - one.front[0] * one.up[2],
                                     one.front[0] * one.up[1] - one.front[1] * one.up[0]);
    check_value(path, group + " front", across, across > 0.0, "it is not along up");
    one.rotations = file.numbers(group, "rotations");
    check_finite(path, group + " rotations", one.rotations);
    one.filters = std::make_shared<const EarFilters>(read_filters(file, path, group, receiver.channels));
    one.ears = file.read<double>(group + "/pressure");
    check_finite(path, group + "/pressure", one.ears);
    if (one.rotations.empty() ||
        one.ears.size() != sources * one.rotations.size() * 2 * static_cast<std::size_t>(result.rendered.samples))
      refuse_ears(path, group + "/pressure is not of all sources and rotations");
    result.binaural.push_back(std::move(one));
  }
  set_cuts(result.recording.sources, result.recording.receivers, result.options, result.binaural);
}

}  // namespace fdtd
