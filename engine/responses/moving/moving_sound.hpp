// A signal heard along a path, from responses at places of it: by a receiver that moves, or of a source that does.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/math/field_weights.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/sample_stream.hpp"
#include "scenes/path.hpp"

namespace fdtd {

// The responses at the places of a path, for all its channels: [place * channels + channel], of one length.
struct PlaceResponses {
  std::vector<Point> places;  // m
  std::vector<std::span<const double>> filters;
  std::size_t channels = 1;
  bool ambisonic = false;    // in ACN order: the channels turn with the yaw of the path
  double wave_number = 0.0;  // rad/m, largest_wave_number()
};

enum class Moves { receiver, source };

// Time counts from the first sample of the signal. A receiver at x(t) hears y(t) = sum over T of s(T) h(x(t), t - T), a
// source at x(T) is heard as y(t) = sum over T of s(T) h(x(T), t - T); h between the places follows from FieldWeights, at
// each sample. signal.samples() + taps - 1 samples of each channel, which `hear` gets in order. A source has no yaw. The
// responses must reach along the path (worst_place). The result does not depend on the number of threads.
void play_along(SampleStream& signal, const PlaceResponses& responses, const Path& path, Moves moves, double rate,
                const Hear& hear);
double bytes_to_play_along(std::size_t channels, std::size_t taps);

// Where the weights are worst on the path, at samples an eighth of a wavelength apart.
struct WorstPlace {
  double error = 0.0;  // FieldWeights::error
  Point position{};
  int line = 0;  // of the path's file, after which it lies
};
// The first above `enough` ends the search.
WorstPlace worst_place(const PlaceResponses& responses, const Path& path, double enough);

}  // namespace fdtd
