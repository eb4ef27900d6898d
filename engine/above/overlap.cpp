#include "engine/above/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "engine/above/late_sound.hpp"

namespace fdtd {
namespace {

// Image sources and noise of the rays' energies in the octave, at early_rate.
std::vector<double> geometry_response(const AboveRecord& record, const AboveChannel& channel, double centre,
                                      std::span<const double> energies) {
  const LateRecord& late = record.late[channel.late];
  LateEnergies octave;
  octave.octaves = 1;
  octave.bins = energies.size();
  octave.bin = record.bin;
  octave.energy = energies;
  const LateArrivals arrivals(octave, late_settings(record, late));
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(channel.early.size()));
  std::vector<double> response =
      inverse_real_fft(late_spectrum(arrivals, std::span(&centre, 1), early_rate, length), length);
  response.resize(channel.early.size());
  for (std::size_t i = 0; i < response.size(); ++i) response[i] += channel.early[i];
  return response;
}

// Whether the direct sound, and an energy's bin after it, lie within the response of `duration` s.
bool arrives(const AboveRecord& record, const AboveChannel& channel, double duration) {
  const double end = std::min(duration, static_cast<double>(channel.early.size()) / early_rate);
  return record.late[channel.late].start + record.bin < end;
}

}  // namespace

Agreement agreement_below(const AboveTrace& trace, const Rendered& wave, const OverlapRoom& room) {
  const AboveRecord& record = trace.record;
  const auto samples = static_cast<std::size_t>(wave.samples);
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < record.channels.size(); ++i) {
    const bool omni = record.channels[i].pattern.empty() && !trace.directional_source[i];
    if (omni && arrives(record, record.channels[i], static_cast<double>(samples) / wave.sample_rate))
      compared.push_back(i);
  }
  std::vector<OverlapPair> pairs(compared.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (compared.size() > 1)
  for (std::size_t n = 0; n < compared.size(); ++n)
    failure.guard([&] {
      const AboveChannel& channel = record.channels[compared[n]];
      const double direct = record.late[channel.late].start;
      pairs[n].wave = overlap_of_response(std::span(wave.ir).subspan(channel.channel * samples, samples),
                                          wave.sample_rate, record.crossover, direct);
      pairs[n].geometry =
          overlap_of_response(geometry_response(record, channel, trace.overlap_centre, trace.overlap[compared[n]]),
                              early_rate, record.crossover, direct);
    });
  failure.rethrow();
  return agreement_of(pairs, record.crossover, room);
}

}  // namespace fdtd
