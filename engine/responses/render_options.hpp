// How responses are rendered (render.hpp): rates, band, gains, and the channels of directional sources and receivers.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/transducers/channel_filter.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/near_field.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {

// For directional sources and receivers (channels.hpp, field_operator.hpp): the integrations over time that undo
// derivatives in space, (c / (i omega))^n, and the sums of channels. Around `cut[n]` Hz the integrations of order n are
// limited by the causal radial filter of the distance R = c / (2 pi cut[n]), x^n / B_n(x) with x = i omega R / c and the
// Bessel polynomial B_n (transducers/channel_filter.hpp), which amplifies the order n of
// a source at r < R by at most (R/r)^n (J. Daniel, "Spatial sound encoding including near field effect", AES 23rd
// International Conference, 2003; docs/explanation/impulse-responses.md, section 3).
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
  // Whether a source's channels are summed in the record of this one, its first (joint_pass.hpp): its filter is in it.
  bool sums(std::size_t source) const { return !source_leads.empty() && source_leads[source] > 0; }
  // Whether the source sends in another's record: its own is silent but for the near field that is subtracted, and its
  // integrations are not those of the sum of its order and the receiver's.
  bool joins(std::size_t source) const;
};

// For the channels of a plan's scene; nothing when all are omnidirectional. The cuts are those of radial_distance, 5
// Hz for the first order and for pairs of first orders, or higher: they keep rounding noise 40 dB below the signal
// as far as the precision allows.
std::optional<ChannelOptions> channel_options(const Scene& scene, const Plan& plan);

// To the spectrum of channel [s * receivers + r] at 0, `bin`, 2 `bin`, ... Hz: its integrations over time with their radial
// filters, and its filter if it is one of a measured source whose record does not hold it. `corner`: Hz, where its radial
// filter is 3 dB down at least; 0: none.
void integrate_channel(std::vector<std::complex<double>>& spectrum, std::size_t channel, double corner,
                       const ChannelOptions& channels, double bin);

// m, R of the radial filters of the orders from 2 on.
inline constexpr double radial_distance = 2.0;
// The remark on the orders from 2 on; empty where no channel has one.
std::string radial_remark(const ChannelOptions& channels);
// The remark on measured sources whose orders are weaker below a frequency; empty where none is.
std::string filter_remark(const ChannelOptions& channels, const std::vector<ChannelId>& sources);

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
  // One per receiver, by which its responses are multiplied at the very end, with the sound above the waves' band in them
  // (weigh_receivers); empty: 1.
  std::vector<double> weights{};
};

// How a scene's responses are rendered of a run of its plan: up to `bandwidth` Hz, the gains of the plan's scheme,
// sources and receivers equalised, by tables of so many samples each.
RenderOptions render_options(const Scene& scene, const Plan& plan, double bandwidth, int samples = gain_samples);

}  // namespace fdtd
