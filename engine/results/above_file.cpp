#include "engine/results/above_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {
namespace {

constexpr std::size_t least_harmonics = 16, most_harmonics = 100;  // of the patterns of receivers: orders 3 to 9
const std::string group = "/above";

std::string energy_path(std::size_t pair) { return fmt::format("{}/energy/{}", group, pair); }

std::size_t cells_of(const LateRecord& late, const AboveRecord& above) {
  return late.directions ? above.directions.size() : 1;
}

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, fmt::format("{}: {} {}", path.string(), group, what),
              "the file is damaged, or another program wrote it");
}

void read_pairs(const SealedFile& file, const std::filesystem::path& path, const Recording& recording,
                AboveRecord& above) {
  const auto pairs = file.read<std::int64_t>(group + "/pair");
  const auto starts = file.read<double>(group + "/start");
  if (pairs.size() != 3 * starts.size()) damaged(path, "has pairs without a start");
  check_finite(path, group + "/start", starts);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    LateRecord late;
    const std::int64_t source = pairs[3 * i], receiver = pairs[3 * i + 1];
    const auto within = [](std::int64_t number, std::size_t count) {
      return number >= 0 && number < static_cast<std::int64_t>(count);
    };
    if (!within(source, recording.sources.size()) || !within(receiver, recording.receivers.size()) ||
        !within(pairs[3 * i + 2], 2))
      damaged(path, "names a source or receiver that there is not");
    late.source = static_cast<std::uint32_t>(source);
    late.receiver = static_cast<std::uint32_t>(receiver);
    late.directions = pairs[3 * i + 2] != 0;
    late.start = starts[i];
    late.energy = file.read<double>(energy_path(i));
    check_finite(path, energy_path(i), late.energy);
    const std::size_t row = above.octaves.size() * cells_of(late, above);
    if (late.energy.size() % row != 0 || std::ranges::any_of(late.energy, [](double e) { return e < 0.0; }))
      damaged(path, "has energies that are negative or of another shape");
    above.late.push_back(std::move(late));
  }
}

void read_channels(const SealedFile& file, const std::filesystem::path& path, std::size_t channels,
                   AboveRecord& above) {
  const auto numbers = file.read<std::int64_t>(group + "/channel");
  const auto patterns = file.read<double>(group + "/pattern"), early = file.read<double>(group + "/early");
  const std::size_t count = numbers.size() / 2;
  const std::size_t harmonics = count > 0 ? patterns.size() / count : 0;
  if (numbers.size() % 2 != 0 || patterns.size() != harmonics * count || harmonics > most_harmonics ||
      (count > 0 && harmonics < least_harmonics) || (count > 0 && early.size() % count != 0))
    damaged(path, "has channels, patterns and early sound that disagree");
  check_finite(path, group + "/pattern", patterns);
  check_finite(path, group + "/early", early);
  const std::size_t samples = count > 0 ? early.size() / count : 0;
  for (std::size_t i = 0; i < count; ++i) {
    AboveChannel one;
    const std::int64_t channel = numbers[2 * i], pair = numbers[2 * i + 1];
    if (channel < 0 || static_cast<std::size_t>(channel) >= channels || pair < 0 ||
        static_cast<std::size_t>(pair) >= above.late.size())
      damaged(path, "has a channel that there is not");
    one.channel = static_cast<std::size_t>(channel);
    one.late = static_cast<std::size_t>(pair);
    if (above.late[one.late].directions) {
      const auto first = patterns.begin() + static_cast<std::ptrdiff_t>(i * harmonics);
      one.pattern.assign(first, first + static_cast<std::ptrdiff_t>(harmonics));
    }
    const auto first = early.begin() + static_cast<std::ptrdiff_t>(i * samples);
    one.early.assign(first, first + static_cast<std::ptrdiff_t>(samples));
    above.channels.push_back(std::move(one));
  }
}

// T20 in per cent; one that no decay has is NaN.
void write_spread(H5File& file, const std::vector<RaySpread>& spread) {
  if (spread.empty()) return;
  std::vector<double> T20, C80, G;
  for (const RaySpread& one : spread) {
    T20.push_back(100.0 * one.T20.value_or(std::numeric_limits<double>::quiet_NaN()));
    C80.push_back(one.C80);
    G.push_back(one.G);
  }
  file.set(group, "spread_T20", std::span<const double>(T20));
  file.set(group, "spread_C80", std::span<const double>(C80));
  file.set(group, "spread_G", std::span<const double>(G));
}

// Results of earlier versions have none.
void read_spread(const SealedFile& file, const std::filesystem::path& path, AboveRecord& above) {
  if (file.has(group, "ray_end")) {
    const auto name = std::ranges::find(ray_end_names, file.text(group, "ray_end"));
    if (name == ray_end_names.end()) damaged(path, "has an end of rays that there is not");
    above.ray_end = static_cast<RayEnd>(name - ray_end_names.begin());
  }
  if (!file.has(group, "spread_T20")) return;
  const std::vector<double> T20 = file.numbers(group, "spread_T20"), C80 = file.numbers(group, "spread_C80"),
                            G = file.numbers(group, "spread_G");
  if (T20.size() != above.octaves.size() || C80.size() != T20.size() || G.size() != T20.size())
    damaged(path, "has a spread of rays without octaves");
  for (std::size_t o = 0; o < T20.size(); ++o) {
    above.spread.push_back({std::nullopt, C80[o], G[o]});
    if (!std::isnan(T20[o])) above.spread.back().T20 = T20[o] / 100.0;
  }
}

}  // namespace

void write_above(H5File& file, const AboveRecord& above) {
  file.group(group);
  file.set(group, "from", above.crossover.from);
  file.set(group, "to", above.crossover.to);
  file.set(group, "upper", above.upper);
  file.set(group, "octaves", std::span<const double>(above.octaves));
  file.set(group, "bin", above.bin);
  file.set(group, "coherent_until", above.coherent_until);
  file.set(group, "volume", above.volume);
  file.set(group, "sound_speed", above.sound_speed);
  file.set(group, "seed", static_cast<std::int64_t>(above.seed));
  std::vector<double> directions;
  for (const auto& one : above.directions) directions.insert(directions.end(), one.begin(), one.end());
  file.set(group, "directions", std::span<const double>(directions));
  file.set(group, "rays", above.rays);
  file.set(group, "ray_end", std::string(ray_end_names[static_cast<std::size_t>(above.ray_end)]));
  write_spread(file, above.spread);
  file.set(group, "image_order", std::int64_t{above.image_order});
  file.group(group + "/energy");
  std::vector<std::int64_t> pairs, numbers;
  std::vector<double> starts, patterns;
  for (std::size_t i = 0; i < above.late.size(); ++i) {
    const LateRecord& late = above.late[i];
    pairs.insert(pairs.end(), {late.source, late.receiver, late.directions ? 1 : 0});
    starts.push_back(late.start);
    const std::size_t row = above.octaves.size() * cells_of(late, above);
    std::vector<std::uint64_t> shape = {above.octaves.size(), late.energy.size() / row};
    if (late.directions) shape.push_back(above.directions.size());
    file.write<double>(energy_path(i), late.energy, shape);
  }
  std::vector<std::span<const double>> early;
  std::size_t harmonics = least_harmonics;
  for (const AboveChannel& one : above.channels) harmonics = std::max(harmonics, one.pattern.size());
  for (const AboveChannel& one : above.channels) {
    numbers.insert(numbers.end(), {static_cast<std::int64_t>(one.channel), static_cast<std::int64_t>(one.late)});
    patterns.insert(patterns.end(), one.pattern.begin(), one.pattern.end());
    patterns.resize(patterns.size() + harmonics - one.pattern.size(), 0.0);
    early.emplace_back(one.early);
  }
  file.write<std::int64_t>(group + "/pair", pairs, {above.late.size(), 3});
  file.write<double>(group + "/start", starts);
  file.write<std::int64_t>(group + "/channel", numbers, {above.channels.size(), 2});
  file.write<double>(group + "/pattern", patterns, {above.channels.size(), harmonics});
  file.write_rows<double>(group + "/early", early);
}

std::optional<AboveRecord> read_above(const SealedFile& file, const std::filesystem::path& path,
                                      const Recording& recording) {
  if (!file.exists(group)) return std::nullopt;
  AboveRecord above;
  const auto positive = [&](const char* name, double most) {
    const double x = file.number(group, name);
    check_value(path, group + " " + name, x, x > 0.0 && x <= most,
                fmt::format("it is above 0, at most {:g}", most).c_str());
    return x;
  };
  const auto whole = [&](const char* name, std::int64_t least, std::int64_t most) {
    const std::int64_t x = file.integer(group, name);
    check_value(path, group + " " + name, static_cast<double>(x), x >= least && x <= most,
                fmt::format("it is {} to {}", least, most).c_str());
    return x;
  };
  constexpr double highest = 1e5, longest = 1e5, largest = 1e12, fastest = 1e4;  // Hz, s, m3, m/s
  above.crossover = {positive("from", highest), positive("to", highest)};
  above.upper = positive("upper", highest);
  if (!(above.crossover.from < above.crossover.to && above.crossover.to <= above.upper))
    damaged(path, "has no band between its crossover and its end");
  above.octaves = file.numbers(group, "octaves");
  check_finite(path, group + " octaves", above.octaves);
  if (above.octaves.empty() || !(above.octaves.front() > 0.0) || !std::ranges::is_sorted(above.octaves))
    damaged(path, "has no octaves");
  above.bin = positive("bin", longest);
  above.coherent_until = positive("coherent_until", longest);
  above.volume = positive("volume", largest);
  above.sound_speed = positive("sound_speed", fastest);
  above.seed = static_cast<std::uint64_t>(whole("seed", 0, INT32_MAX));
  const std::vector<double> directions = file.numbers(group, "directions");
  check_finite(path, group + " directions", directions);
  if (directions.empty() || directions.size() % 3 != 0) damaged(path, "has no directions in space");
  for (std::size_t i = 0; i < directions.size(); i += 3)
    above.directions.push_back({directions[i], directions[i + 1], directions[i + 2]});
  above.rays = whole("rays", 1, INT32_MAX);
  read_spread(file, path, above);
  above.image_order = static_cast<int>(whole("image_order", -1, 1000));
  read_pairs(file, path, recording, above);
  read_channels(file, path, recording.sources.size() * recording.receivers.size(), above);
  return above;
}

}  // namespace fdtd
