// Recording -> impulse responses: undo the drive, equalise, band-limit, low-cut, change the rate. All in double.
//
// H(omega) = D(w) / ((1 - e^{-iw}) g(w)): D the spectrum of a record, g the gain of scheme and taps (source_gain.hpp), w
// the numerical frequency that belongs to omega (stencils/frequency_map.hpp). H times a linear-phase low-pass without
// delay is transformed back at the output rate; sample 0 is the emission, and the samples of an arrival over r metres sum
// to 1/r. Derivation: docs/explanation/impulse-responses.md, section 7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/responses/render_options.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

// A tone that rings on in a channel's record after its neighbours have decayed (residual_tones.hpp).
struct ResidualTone {
  double frequency = 0.0;  // Hz
  double level = 0.0;      // dB: its amplitude at the end of the record, relative to the response's largest sample
  bool removed = false;    // the low-pass takes it below residual_limit
};
inline constexpr double residual_limit = -80.0;  // dB, below which tones are not reported

struct Rendered {
  double sample_rate = 0.0;
  std::int64_t samples = 0;
  // ir[(s * receivers + r) * samples + j]: a digital filter; samples of one arrival over r metres sum to 1/r.
  std::vector<double> ir;
  std::vector<std::string> remarks;  // "the record has not decayed: ..."
  // One list per channel, of those at or above the bandwidth; none of directional channels.
  std::vector<std::vector<ResidualTone>> tones;
};

// Throws Error: status scene for invalid options, numerical for a record that is not finite, resource for one
// that is too long (2^26 samples). Channels are rendered in parallel; the result does not depend on the number of
// threads. A record that has not decayed is faded out over its last render_tail seconds (plan/record_tail.hpp; at most
// a tenth of it).
Rendered render(const Recording& recording, const RenderOptions& options);

// Rendering is linear, but for near fields, which depend on no record: its transpose turns dJ / d ir of a loss J (as long
// as Rendered::ir of this recording) into dJ / d pressure of the recording, with the fade that render() chooses for it.
// Throws as render(), and Error (status scene) for another length.
std::vector<double> render_transposed(const Recording& recording, const RenderOptions& options,
                                      std::vector<double> by_response);

// Multiplies responses, Rendered::ir of so many samples each, by the weights of their receivers; without weights by none.
// Derivatives by the responses become those by the unweighted ones.
void weigh_receivers(std::vector<double>& ir, std::int64_t samples, const std::vector<double>& weights);

// soxr at its highest quality, linear phase; keeps sample 0 in place and amplitudes (of a filter rather than a signal,
// multiply by from_rate / to_rate to keep its sum). ceil(n to_rate / from_rate) samples; more than 2^28: Error (status
// file).
std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate);

}  // namespace fdtd
