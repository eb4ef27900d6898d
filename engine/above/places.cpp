#include "engine/above/places.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

// The factors of the SN3D harmonics of a channel's pattern; empty: omnidirectional.
std::vector<double> harmonics_of(const Channel& channel, const std::vector<ChannelMix>& mixes, std::size_t index,
                                 const std::vector<Channel>& all) {
  if (channel.id.of_field()) {
    std::vector<double> factors(static_cast<std::size_t>(channel.id.number) + 1, 0.0);
    factors.back() = 1.0;
    return factors;
  }
  const auto first_order = [](double omni, double cosine, const std::array<double, 3>& direction) {
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    const std::array<double, 3> n = {direction[0] / length, direction[1] / length, direction[2] / length};
    return std::vector<double>{omni, cosine * n[1], cosine * n[2], cosine * n[0]};
  };
  for (const ChannelMix& mix : mixes)
    if (static_cast<std::size_t>(mix.of) == index)
      return first_order(mix.fraction, 1.0 - mix.fraction, all[static_cast<std::size_t>(mix.with)].direction);
  if (degree(channel.operation) == 1) return first_order(0.0, 1.0, channel.direction);
  return {};
}

}  // namespace

std::vector<AbovePlace> places_of(const std::vector<Channel>& channels, const std::vector<ChannelMix>& mixes,
                                  std::size_t count) {
  std::vector<AbovePlace> places(count);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    AbovePlace& place = places[channels[i].owner];
    place.position = channels[i].position;
    if (!channels[i].id.output()) continue;
    place.outputs.push_back({i, harmonics_of(channels[i], mixes, i, channels)});
  }
  return places;
}

std::vector<AbovePlace> sources_above(const Scene& scene) {
  std::vector<AbovePlace> places = places_of(channels_of(scene).sources, mixes_of(scene).sources, scene.sources.size());
  for (std::size_t s = 0; s < places.size(); ++s)
    if (const auto& balloon = scene.sources[s].directivity.balloon)
      for (AbovePlace::Output& output : places[s].outputs) output.balloon = balloon;
  return places;
}

BalloonAmplitudes::BalloonAmplitudes(const Balloon& balloon, double lowest)
    : balloon_(balloon), harmonics_(balloon.energy_order, HarmonicNorm::sn3d) {
  const std::vector<double>& centres = balloon.energy_centres;
  while (first_ + 1 < centres.size() && centres[first_ + 1] <= lowest) ++first_;
}

void BalloonAmplitudes::operator()(const std::array<double, 3>& direction, std::span<double> values) const {
  const std::vector<double> harmonics = harmonics_(direction);
  for (std::size_t o = 0; o < values.size(); ++o) {
    const std::vector<double>& factors = balloon_.energy[first_ + o];
    double energy = 0.0;
    for (std::size_t i = 0; i < factors.size(); ++i) energy += factors[i] * harmonics[i];
    values[o] = std::sqrt(std::max(0.0, energy));
  }
}

double BalloonAmplitudes::share(std::size_t octave, double hertz) const {
  const double place = std::clamp(std::log2(hertz / balloon_.energy_centres[first_]), 0.0,
                                  std::log2(balloon_.energy_centres.back() / balloon_.energy_centres[first_]));
  const auto centre = [&](std::size_t o) {
    return std::log2(balloon_.energy_centres[first_ + o] / balloon_.energy_centres[first_]);
  };
  const double here = centre(octave);
  if (place == here) return 1.0;
  if (place < here) return octave == 0 ? 1.0 : std::max(0.0, 1.0 - (here - place) / (here - centre(octave - 1)));
  return octave + 1 == octaves() ? 1.0 : std::max(0.0, 1.0 - (place - here) / (centre(octave + 1) - here));
}

double BalloonAmplitudes::at(const std::array<double, 3>& direction, double hertz) const {
  std::vector<double> values(octaves());
  (*this)(direction, values);
  double sum = 0.0;
  for (std::size_t o = 0; o < values.size(); ++o) sum += share(o, hertz) * values[o];
  return sum;
}

}  // namespace fdtd
