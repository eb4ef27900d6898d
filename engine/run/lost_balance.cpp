#include "engine/run/lost_balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

std::span<double> records_of(Recording& recording, std::size_t source) {
  const std::size_t length = recording.receivers.size() * static_cast<std::size_t>(recording.samples);
  return std::span(recording.pressure).subspan(source * length, length);
}

// Nothing after step `last`.
void end_at(Recording& recording, std::size_t source, std::int64_t last) {
  auto& course = recording.energy[source];
  std::erase_if(course, [&](const EnergyPoint& point) { return point.step > last; });
  const auto samples = static_cast<std::size_t>(recording.samples);
  const std::span<double> records = records_of(recording, source);
  for (std::size_t from = 0; from < records.size(); from += samples)
    std::fill(records.begin() + static_cast<std::ptrdiff_t>(from) + (last > 0 ? last + 1 : 0),
              records.begin() + static_cast<std::ptrdiff_t>(from + samples), 0.0);
}

void fade(Recording& recording, std::size_t source, std::int64_t last) {
  const auto samples = static_cast<std::size_t>(recording.samples);
  const std::span<double> records = records_of(recording, source);
  const std::int64_t length = last / 10;
  for (std::size_t from = 0; from < records.size(); from += samples)
    for (std::int64_t i = 0; i < length; ++i)
      records[from + static_cast<std::size_t>(last - i)] *=
          0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(length));
}

std::int64_t end_of(const Recording& recording, std::size_t source) {
  const auto& course = recording.energy[source];
  return course.empty() ? 0 : course.back().step;
}

}  // namespace

void cut_to_longest(Recording& recording) {
  std::int64_t last = 0;
  for (const auto& course : recording.energy) last = std::max(last, course.empty() ? 0 : course.back().step);
  const auto samples = static_cast<std::size_t>(recording.samples), kept = static_cast<std::size_t>(last + 1);
  if (kept >= samples) return;
  for (std::size_t channel = 0; channel * samples < recording.pressure.size(); ++channel)
    std::copy_n(recording.pressure.begin() + static_cast<std::ptrdiff_t>(channel * samples), kept,
                recording.pressure.begin() + static_cast<std::ptrdiff_t>(channel * kept));
  recording.pressure.resize(recording.pressure.size() / samples * kept);
  recording.samples = last + 1;
}

LostBalance::LostBalance(const Error& error, Recording recorded) : Error(error) {
  if (std::ranges::any_of(recorded.energy, [](const auto& course) { return !course.empty(); }))
    recording = std::make_shared<const Recording>(std::move(recorded));
}

Recording healthy_part(Recording recording, std::int64_t source, std::int64_t sources) {
  const auto lost = static_cast<std::size_t>(source);
  const auto owner = [&](std::size_t s) -> const std::string& { return recording.sources[s].owner; };
  const std::int64_t last = end_of(recording, lost);
  bool whole = true;  // no channel of the source is missing
  for (auto s = static_cast<std::size_t>(source + sources); s < recording.sources.size(); ++s) {
    whole = whole && owner(s) != owner(lost);
    end_at(recording, s, 0);
  }
  for (std::size_t s = 0; s <= lost; ++s)
    if (owner(s) == owner(lost)) end_at(recording, s, whole ? last : 0);
  cut_to_longest(recording);
  for (std::size_t s = 0; s <= lost; ++s)
    if (owner(s) == owner(lost) && end_of(recording, s) + 1 < recording.samples)
      fade(recording, s, end_of(recording, s));
  return recording;
}

std::string kept_text(const Recording& recording, std::int64_t steps) {
  std::vector<std::string> kept;
  std::string before;
  for (std::size_t s = 0; s < recording.senders().size(); ++s) {
    const ChannelId& sender = recording.senders()[s];
    const std::int64_t end = end_of(recording, s);
    if (!sender.output() || end == 0 || sender.owner == before) continue;
    before = sender.owner;
    const auto seconds = [&](std::int64_t step) { return static_cast<double>(step) / recording.sample_rate; };
    kept.push_back(end >= steps ? sender.owner
                                : fmt::format("{} for {:.3g} of {:.3g} s", sender.owner, seconds(end), seconds(steps)));
  }
  return fmt::format("{}", fmt::join(kept, "; "));
}

}  // namespace fdtd
