#include "engine/small_rooms/run_notches.hpp"

#include <span>

#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

// Of the highest frequency: the octave around a dip ends below the band, and the band far below half the rate.
constexpr double band_above = 1.5, rate_above = 8.0;

}  // namespace

Recording part_of(const Recording& recording, std::size_t sources, std::size_t receiver, std::size_t receivers) {
  Recording part;
  part.sample_rate = recording.sample_rate;
  part.samples = recording.samples;
  part.sources.assign(recording.sources.begin(), recording.sources.begin() + static_cast<std::ptrdiff_t>(sources));
  const auto first = static_cast<std::ptrdiff_t>(receiver);
  part.receivers.assign(recording.receivers.begin() + first,
                        recording.receivers.begin() + first + static_cast<std::ptrdiff_t>(receivers));
  const auto samples = static_cast<std::size_t>(recording.samples);
  for (std::size_t s = 0; s < sources; ++s) {
    const auto records = std::span(recording.pressure)
                             .subspan((s * recording.receivers.size() + receiver) * samples, receivers * samples);
    part.pressure.insert(part.pressure.end(), records.begin(), records.end());
  }
  return part;
}

std::vector<PairNotches> run_notches(const Scene& scene, const Plan& plan, const Recording& records,
                                     const WaveRequest& request) {
  std::vector<PairNotches> pairs = wall_notches(scene, request.from, request.to, most_notch_pairs);
  RenderOptions options = render_options(scene, plan, band_above * request.to);
  options.output_rate = rate_above * request.to;
  options.low_cut = 0.0;
  options.duration = 0.0;
  const Rendered rendered = render(records, options);
  const auto samples = static_cast<std::size_t>(rendered.samples);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (!pairs[i].blocked)
      find_dips(pairs[i], std::span(rendered.ir).subspan(i * samples, samples), rendered.sample_rate, request.to);
  return pairs;
}

}  // namespace fdtd
