// The ears of a head that hears ambisonic channels as they come: of a path, along which they turn with the head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/binaural/binaural_receiver.hpp"
#include "engine/responses/convolution.hpp"

namespace fdtd {

// s, by which the filters of ears ring before and after a head's where they undo phases of radial filters.
inline constexpr double ringing_of_phases = 0.04;

class MovingEars {
 public:
  // Of a receiver whose channels come at `rate` from the source of that number among those shown. Its front and up are in
  // the axes in which the channels are.
  MovingEars(const BinauralReceiver& receiver, std::size_t source, double rate);
  // Channels in ACN order, one length; `hear` gets both ears, perhaps later and perhaps nothing yet.
  void next(const std::vector<std::span<const double>>& channels, const Hear& hear);
  // The rest: in all as many samples as the channels have had.
  void finish(const Hear& hear);

 private:
  void convolve(std::size_t samples, const Hear& hear);
  void pass(std::vector<std::vector<double>> ears, const Hear& hear);

  std::size_t early_ = 0;  // samples of the filters before time 0
  ConvolutionBlocks blocks_;
  std::vector<Convolution> filters_;          // [channel][left, right]
  std::vector<std::vector<double>> unheard_;  // by channel, less than a block
  std::uint64_t came_ = 0, at_ = 0;           // samples: of channels, of convolutions
};

// Bytes that MovingEars take.
double bytes_of_moving_ears(const BinauralReceiver& receiver, double rate);

}  // namespace fdtd
