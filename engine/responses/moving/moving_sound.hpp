// A signal heard along a path, from responses at places of it: by a receiver that moves, or of a source that does.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/math/field_weights.hpp"
#include "engine/responses/convolution.hpp"
#include "engine/responses/sample_stream.hpp"
#include "engine/transducers/channels.hpp"
#include "scenes/path.hpp"

namespace fdtd {

// How channels turn with the yaw of a path: those of an ambisonic receiver, in ACN order, or the three of a pattern of the
// cardioid family, of which one is heard (turn_pattern).
enum class Turning { none, ambisonic, pattern };
// Of a receiver, of which so many channels are played (channels_along_path).
Turning turning_of(const ChannelGroup& receiver, std::size_t played);

// The responses at the places of a path, for all its channels: [place * channels + channel], of one length.
struct PlaceResponses {
  std::vector<Point> places;  // m
  std::vector<std::span<const double>> filters;
  std::size_t channels = 1;
  Turning turning = Turning::none;
  double wave_number = 0.0;  // rad/m, largest_wave_number()
};

// How many channels are heard of those that are played.
std::size_t heard_channels(const PlaceResponses& responses);

enum class Moves { receiver, source };

// Time counts from the first sample of the signal. A receiver at x(t) hears y(t) = sum over T of s(T) h(x(t), t - T), a
// source at x(T) is heard as y(t) = sum over T of s(T) h(x(T), t - T); h between the places follows from FieldWeights, at
// each sample. signal.samples() + taps - 1 samples of each channel, which `hear` gets in order, heard_channels() of
// them where a receiver moves. A source has no yaw. The
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
