// How a recording is rendered (render.hpp), once chosen: a linear operator on each channel's record, its transpose, and
// the sums of channels. The choices depend on the record (a fade where it has not decayed); the operator does not.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/responses/render_options.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

// Numerical frequency in radians per step of a true frequency.
double numerical_frequency(double hertz, double record_rate, const FrequencyMap& map);

// The parts of a rendering that all channels share.
struct RenderMethod {
  double record_rate = 0.0, output_rate = 0.0;
  std::int64_t record_samples = 0, output_samples = 0;
  std::int64_t lead = 0;    // output samples before the emission, kept until the end
  std::int64_t length = 0;  // of the transform at the output rate
  std::int64_t fade = 0;    // record samples
  LowPass low_pass;
  std::vector<double> frequencies;            // numerical ones, of output bins 0, 1, ... up to the end of the low-pass
  std::vector<std::complex<double>> factors;  // of D(w), without the gain
  double bin() const { return output_rate / static_cast<double>(length); }  // Hz
};

using Records = std::function<std::span<const double>(std::size_t channel)>;

// With remarks on what the choices take from the response. `recording` and `options` have been checked.
RenderMethod render_method(const Recording& recording, const RenderOptions& options, const Records& record,
                           std::vector<std::string>& remarks);

// One channel after the other. Method and options must outlive it.
class ChannelRenderer {
 public:
  ChannelRenderer(const RenderMethod& method, const RenderOptions& options)
      : m_(method), options_(options), sampler_(method.record_samples, method.frequencies) {}

  // The response of a channel, before air absorption. Less the near field, which depends on no record.
  std::vector<double> response(std::size_t channel, std::span<const double> record) const;
  // Transpose of response(), near field aside: dJ / d record of dJ / d response.
  std::vector<double> transposed(std::size_t channel, std::span<const double> by_response) const;
  const std::vector<double>* gain(std::size_t channel) const {
    return options_.gain.tables.empty() ? nullptr : &options_.gain[channel];
  }

 private:
  void fade(std::span<double> record) const;
  // Drive, gain, low-pass and the integrations of directional channels; lead() before.
  void lead(std::size_t channel, std::vector<std::complex<double>>& spectrum) const;
  void multiply(std::size_t channel, std::vector<std::complex<double>>& spectrum) const;

  const RenderMethod& m_;
  const RenderOptions& options_;
  SpectrumSampler sampler_;
};

// Sums of channels, in place: ir[channel * length + n]. The transpose runs through the sums backwards.
void mix_channels(std::vector<double>& ir, const ChannelOptions& channels, std::size_t length);
void transpose_mix(std::vector<double>& by_ir, const ChannelOptions& channels, std::size_t length);

}  // namespace fdtd
