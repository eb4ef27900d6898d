#include "engine/binaural/binaural_receiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "base/parallel_failure.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// On the filters of a file: up to where they have phases, and the level of the file, which is kept.
std::string said_of(const Head& head, const EarFilters& filters) {
  constexpr double hertz = 250.0, noted_delay = 2e-5;  // s
  double energy = 0.0;
  for (std::size_t ear = 0; ear < 2; ++ear) {
    std::complex<double> sum = 0.0;
    const double* const taps = filters.ears.data() + ear * harmonic_count(filters.order) * filters.taps;
    for (std::size_t n = 0; n < filters.taps; ++n)
      sum += taps[n] * std::polar(1.0, -2.0 * std::numbers::pi * hertz / filters.sample_rate * static_cast<double>(n));
    energy += 0.5 * std::norm(sum);
  }
  std::string said = fmt::format(
      "{}: by order {} ears have the head's phases up to {:.0f} Hz, above its magnitudes alone; at {:g} Hz they are "
      "{:+.1f} dB beside the pressure without a head, as the file has it",
      head.file, filters.order, filters.exact_to, hertz, 10.0 * std::log10(energy));
  if (filters.latest > noted_delay)
    said +=
        fmt::format("; directions that were measured up to {:.0f} µs early or late at both ears are put at their time",
                    1e6 * filters.latest);
  return said;
}

// Its channels.
const ChannelGroup& group_of(const BinauralReceiver& one, const std::vector<ChannelGroup>& groups) {
  const auto group =
      std::ranges::find_if(groups, [&](const ChannelGroup& g) { return g.binaural && g.name == one.name; });
  if (group == groups.end() || static_cast<std::size_t>(group->channels) != harmonic_count(one.filters->order) ||
      one.rotations.empty())
    throw Error(Status::scene, fmt::format("receiver {} has no channels for its ears", one.name));
  return *group;
}

// One for each key: many receivers may come of one table.
void add_problem(const Scene& scene, const ReceiverSpec& receiver, const Error& error, std::vector<Problem>& problems) {
  const TextPlace& place = receiver.head->file_place;
  const auto same = [&](const Problem& one) {
    return one.place.line == place.line && one.place.set == place.set && one.place.column == place.column;
  };
  if (std::ranges::any_of(problems, same)) return;
  Problem& one = problems.emplace_back();
  one.place = place;
  one.where = fmt::format("receiver.{}.hrtf", receiver.name);
  one.message = error.what();
  one.hint = error.remedy;
  if (place.set > 0) one.set = scene.overrides.at(static_cast<std::size_t>(place.set) - 1);
}

}  // namespace

std::vector<BinauralReceiver> binaural_receivers(const Scene& scene, std::vector<std::string>& remarks,
                                                 std::vector<Problem>& problems) {
  std::map<std::filesystem::path, HeadResponses> heads;
  std::map<std::pair<std::filesystem::path, int>, std::shared_ptr<const EarFilters>> designed;
  std::vector<BinauralReceiver> binaural;
  for (const ReceiverSpec& one : scene.receivers) {
    if (one.directivity.pattern != "binaural") continue;
    auto& filters = designed[{one.head->path, one.directivity.order}];
    try {
      if (!heads.contains(one.head->path)) {
        const HeadResponses& head = heads.emplace(one.head->path, read_head(one.head->path)).first->second;
        remarks.insert(remarks.end(), head.remarks.begin(), head.remarks.end());
      }
      if (!filters) {
        filters =
            std::make_shared<const EarFilters>(design_ear_filters(heads.at(one.head->path), one.directivity.order));
        remarks.push_back(said_of(*one.head, *filters));
      }
    } catch (const Error& error) {
      if (error.status == Status::resource) throw;
      add_problem(scene, one, error, problems);
      continue;
    }
    binaural.push_back(
        {one.name, one.head->file, one.directivity.direction, one.head->up, one.head->rotations, filters, {}});
  }
  return binaural;
}

Axes axes_of(const BinauralReceiver& receiver, double yaw) {
  const std::optional<Axes> axes = axes_of(receiver.front, receiver.up);
  if (!axes) throw Error(Status::scene, fmt::format("receiver {}: the head looks along its own up", receiver.name));
  return turned_left(*axes, yaw);
}

void set_cuts(const std::vector<ChannelId>& sources, const std::vector<ChannelId>& receivers,
              const RenderOptions& options, std::vector<BinauralReceiver>& binaural) {
  const std::vector<ChannelGroup> from = groups_of(sources), to = groups_of(receivers);
  for (BinauralReceiver& one : binaural) {
    const ChannelGroup& group = group_of(one, to);
    one.cuts.clear();
    for (const ChannelGroup& source : from)
      one.cuts.push_back(options.channels ? ear_cuts(*options.channels, source.first, group.first,
                                                     static_cast<std::size_t>(group.channels))
                                          : std::vector<double>{});
  }
}

void render_ears(const std::vector<ChannelId>& sources, const std::vector<ChannelId>& receivers,
                 const Rendered& rendered, const RenderOptions& options, std::vector<BinauralReceiver>& binaural) {
  set_cuts(sources, receivers, options, binaural);
  const std::vector<ChannelGroup> from = groups_of(sources), to = groups_of(receivers);
  const auto samples = static_cast<std::size_t>(rendered.samples);
  for (BinauralReceiver& one : binaural) {
    const ChannelGroup& group = group_of(one, to);
    one.ears.assign(from.size() * one.rotations.size() * 2 * samples, 0.0);
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (one.rotations.size() > 1)
    for (std::size_t r = 0; r < one.rotations.size(); ++r)
      failure.guard([&] {
        const EarFilters filters = turned(*one.filters, axes_of(one, one.rotations[r]));
        for (std::size_t s = 0; s < from.size(); ++s) {
          std::vector<std::span<const double>> channels;
          for (std::size_t c = 0; c < harmonic_count(filters.order); ++c)
            channels.push_back(std::span(rendered.ir)
                                   .subspan((from[s].first * receivers.size() + group.first + c) * samples, samples));
          std::ranges::copy(
              ears_of(filters, channels, rendered.sample_rate, one.cuts[s]),
              one.ears.begin() + static_cast<std::ptrdiff_t>((s * one.rotations.size() + r) * 2 * samples));
        }
      });
    failure.rethrow();
  }
}

}  // namespace fdtd
