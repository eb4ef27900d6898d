// Recording -> impulse responses: undo the drive, equalise, band-limit, low-cut, change the rate. All in double.
//
// H(omega) = D(w) / ((1 - e^{-iw}) g(w)): D the spectrum of a record, g the gain of scheme and taps (source_gain.hpp), w
// the numerical frequency that belongs to omega (stencils/frequency_map.hpp). H times a linear-phase low-pass without
// delay is transformed back at the output rate; sample 0 is the emission, and the samples of an arrival over r metres sum
// to 1/r. Derivation: docs/explanation/impulse-responses.md, section 7.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/run/recording.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/near_field.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {

// For directional sources and receivers (channels.hpp, field_operator.hpp): the integrations over time that undo
// derivatives in space, (c / (i omega))^n, and the sums of channels. Around `cut[n]` Hz the integrations of order n are
// limited by the causal radial filter of the distance R = c / (2 pi cut[n]), x^n / B_n(x) with x = i omega R / c and the
// Bessel polynomial B_n(x) = (2n - 1) B_{n-1}(x) + x^2 B_{n-2}(x), B_0 = 1, B_1 = x + 1, which amplifies the order n of
// a source at r < R by at most (R/r)^n (J. Daniel, "Spatial sound encoding including near field effect", AES 23rd
// International Conference, 2003; docs/explanation/impulse-responses.md, section 3).
//
// A measured source (scenes/balloon.hpp) is a sum of channels, each through a filter of its own: the pressure's harmonic
// of order n at the distance r of the measurement, over the (-i)^n h_n(kr) / h_0(kr) by which its channel, integrated
// without limit, exceeds the far field there. As that is B_n(x) / x^n with x = ikr, the radial filter of the distance r
// divides it out, and the sum is exact at r and beyond (S. Bilbao, J. Ahrens & B. Hamilton, J. Acoust. Soc. Am. 146
// (2019) 2692). Where rounding noise needs a filter of a shorter distance, the order is weaker below its corner.
struct ChannelFilter {
  int source = 0, into = 0;  // the channel, and the one to whose responses its own are added; its own: the sum itself
  double cut = 0.0;          // Hz, c / (2 pi r); not used for n = 0
  std::vector<double> frequencies;  // Hz, above 0, increasing
  std::vector<std::complex<double>> values;
  bool operator==(const ChannelFilter&) const = default;
};

struct ChannelOptions {
  std::vector<int> source_orders, receiver_orders;  // one per source and receiver of the record
  std::vector<ChannelMix> source_mixes, receiver_mixes;
  double sound_speed = 343.2;          // m/s
  std::vector<double> cut;             // Hz, for n = 0, 1, ... up to the largest sum of two orders
  std::vector<NearField> near_field;   // one per channel of the record, subtracted from it; empty: nothing
  std::vector<double> near_corner;     // Hz by channel, where its radial filter is 3 dB down at least; empty: none
  std::vector<int> source_leads = {};  // samples of a source's records before its emission; empty: 0 (joint_pass.hpp)
  std::vector<ChannelFilter> filters = {};  // of measured sources, by channel
  // Null: none.
  const ChannelFilter* filter_of(std::size_t source) const;
};

// For the channels of a plan's scene; nothing when all are omnidirectional. The cuts are those of radial_distance, 5
// Hz for the first order and for pairs of first orders, or higher: they keep rounding noise 40 dB below the signal
// as far as the precision allows.
std::optional<ChannelOptions> channel_options(const Scene& scene, const Plan& plan);

// m, R of the radial filters of the orders from 2 on.
inline constexpr double radial_distance = 2.0;
// The radial filter x^n / B_n(x) at x = i `ratio`, over (i `ratio`)^n.
std::complex<double> radial_integration(int order, double ratio);
// f / cut at which the radial filter of an order is 3 dB down.
double radial_corner(int order);
// The remark on the orders from 2 on; empty where no channel has one.
std::string radial_remark(const ChannelOptions& channels);
// The remark on measured sources whose orders are weaker below a frequency; empty where none is.
std::string filter_remark(const ChannelOptions& channels, const std::vector<std::string>& sources);
// The filter's value: linear over the logarithm of frequency, held beyond its ends.
std::complex<double> filter_value(const ChannelFilter& filter, double hertz);

struct RenderOptions {
  double output_rate = 48000.0;  // Hz
  double low_cut = 20.0;         // Hz, 0: none
  // Hz: linear-phase low-pass, 1 up to here, 0 from 1.2 times this or from `branch` on; 0: as wide as the two rates and
  // `branch` allow.
  double bandwidth = 0.0;
  // Hz: from here on the grid has waves of other wave numbers than sound's (second_branch of stencils/dispersion.hpp),
  // slow ones that walls hardly absorb; nothing of them passes. 0: not known.
  double branch = 0.0;
  double duration = 0.0;       // s of output; 0: all of the record
  FrequencyMap frequency_map;  // that is undone
  // Gain of the scheme and its taps to equalise, each table at equal steps of the numerical omega T from 0 to pi;
  // without tables: none. See source_gain.hpp.
  ChannelGain gain;
  std::optional<ChannelOptions> channels;  // none: every source and receiver is omnidirectional
  std::optional<AirState> air;             // air absorption, applied last (air_absorption.hpp)
};

// How a scene's responses are rendered of a run of its plan: up to `bandwidth` Hz, the gains of the plan's scheme,
// sources and receivers equalised, by tables of so many samples each.
RenderOptions render_options(const Scene& scene, const Plan& plan, double bandwidth, int samples = gain_samples);

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

// soxr at its highest quality, linear phase; keeps sample 0 in place and amplitudes (of a filter rather than a signal,
// multiply by from_rate / to_rate to keep its sum). ceil(n to_rate / from_rate) samples; more than 2^28: Error (status
// file).
std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate);

}  // namespace fdtd
