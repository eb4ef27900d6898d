// Sources and receivers of a scene as geometry above the waves' band sees them: a position, and a pattern by output.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/math/spherical_harmonics.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {

struct AbovePlace {
  std::array<double, 3> position{};
  struct Output {
    std::size_t channel = 0;
    std::vector<double> pattern;  // factors of the SN3D harmonics 0, 1, ...; empty: omnidirectional
    std::shared_ptr<const Balloon> balloon = nullptr;  // of a measured source, instead of a pattern
    bool directional() const { return !pattern.empty() || balloon != nullptr; }
  };
  std::vector<Output> outputs;
  bool patterned() const { return !outputs.empty() && !outputs.front().pattern.empty(); }
};

// Of `count` sources or receivers, by the channels that are outputs.
std::vector<AbovePlace> places_of(const std::vector<Channel>& channels, const std::vector<ChannelMix>& mixes,
                                  std::size_t count);
std::vector<AbovePlace> sources_above(const Scene& scene);

// The amplitudes that a measured source sends by direction, without phase, in the octaves of its file that reach above
// `lowest` Hz, the last one at least: between their centres amplitudes are linear over the logarithm of frequency, beyond
// the first and the last they stay. Energies that harmonics take below 0 count as 0.
class BalloonAmplitudes {
 public:
  BalloonAmplitudes(const Balloon& balloon, double lowest);
  std::size_t octaves() const { return balloon_.energy_centres.size() - first_; }
  // values[octave].
  void operator()(const std::array<double, 3>& direction, std::span<double> values) const;
  // The share of an octave's amplitude at a frequency.
  double share(std::size_t octave, double hertz) const;
  double at(const std::array<double, 3>& direction, double hertz) const;

 private:
  const Balloon& balloon_;
  SphericalHarmonics harmonics_;
  std::size_t first_ = 0;
};

}  // namespace fdtd
