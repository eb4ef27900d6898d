#include "engine/modes/find_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/modes/common_poles.hpp"
#include "engine/modes/zoom.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

// Criteria.
constexpr double agreed_frequency = 2.9e-3;  // 5 cents
constexpr double agreed_decay = 0.1;
constexpr double agreed_over_record = 0.01;  // of the decay over the record, in nepers
constexpr double agreed_shape = 0.9;
constexpr double over_residual = 10.0, least_share = 1e-9;
// Of power, where a record ends: re its strongest part; and re a level end, which is noise where it is so weak.
constexpr double range_of_decay = 1e-12, above_noise = 4.0, noise_below = 1e-4;
// Modes that count as one of a higher multiplicity: within 0.2 cents and 1 % of decay, or the errors of both.
constexpr double same_frequency = 1.2e-4, same_decay = 0.01;

struct Band {
  ZoomBand zoom;
  double low = 0.0, high = 0.0;  // Hz, where its modes are taken
  double overlap = 0.0;          // Hz: of the modes that a neighbour takes too
};

std::vector<Band> bands_of(const ModeSearch& search) {
  const double transition = band_transition(search);
  const int count = std::max(1, static_cast<int>(std::ceil((search.to - search.from) / transition)));
  const double width = (search.to - search.from) / count;
  std::vector<Band> bands;
  for (int i = 0; i < count; ++i) {
    const double low = search.from + i * width;
    // By its errors a mode at a border may lie in neither of two bands that only meet: they overlap.
    const double overlap = 0.015 * width;
    bands.push_back({{low + width / 2.0, 0.52 * width, transition},
                     i > 0 ? low - overlap : search.from,
                     i + 1 < count ? low + width + overlap : search.to,
                     overlap});
  }
  return bands;
}

struct Candidate {
  FoundMode mode;
  std::size_t band = 0;
  double overlap = 0.0;  // Hz, of bands
};

// One of two estimates in a band.
struct Estimate {
  CommonPoles poles;
  std::vector<Complex> z;  // per sample of the record
  std::int64_t begin = 0;  // sample of the band's records to which the drives belong
};

Estimate estimate_poles(const BandRecords& records, const Zoom& zoom, const PoleOptions& options) {
  Estimate estimate;
  estimate.poles = common_poles(records, options);
  for (const Complex& z : estimate.poles.z)
    estimate.z.push_back(std::abs(z) > 1e-12 ? zoom.per_sample(z) : Complex(0.0, 0.0));
  estimate.begin = options.begin;
  return estimate;
}

// The energy of pole k in the records over that of all.
double share_of(const CommonPoles& poles, std::size_t k, std::int64_t samples, double total) {
  const auto sum = [](const std::vector<Complex>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0,
                           [](double before, const Complex& value) { return before + std::norm(value); });
  };
  const double step = std::norm(poles.z[k]);
  const double time = std::abs(1.0 - step) < 1e-12
                          ? static_cast<double>(samples)
                          : (1.0 - std::pow(step, static_cast<double>(samples))) / (1.0 - step);
  return sum(poles.shapes[k]) * sum(poles.drives[k]) * time / total;
}

// For each of `from` its partner among `to`, the nearest pairs first and none twice; to.size(): none.
std::vector<std::size_t> partners_of(const std::vector<Complex>& from, const std::vector<Complex>& to) {
  struct Pair {
    double distance;
    std::size_t from, to;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t j = 0; j < to.size(); ++j)
      if (from[i] != 0.0 && to[j] != 0.0) pairs.push_back({std::abs(from[i] - to[j]), i, j});
  std::ranges::stable_sort(pairs, {}, &Pair::distance);
  std::vector<std::size_t> partners(from.size(), to.size());
  std::vector<char> taken(to.size(), 0);
  for (const Pair& pair : pairs)
    if (partners[pair.from] == to.size() && taken[pair.to] == 0) partners[pair.from] = pair.to, taken[pair.to] = 1;
  return partners;
}

class BandSearch {
 public:
  BandSearch(const Recording& recording, const Band& band, const ModeSearch& search)
      : band_(band), zoom_(band.zoom, recording.sample_rate), rate_(recording.sample_rate) {
    records_.samples = zoom_.count(first_, recording.samples);
    records_.sources = static_cast<std::int64_t>(recording.sources.size());
    records_.receivers = static_cast<std::int64_t>(recording.receivers.size());
    if (records_.samples < least_samples) return;
    const std::int64_t channels = records_.sources * records_.receivers;
    records_.values.resize(static_cast<std::size_t>(records_.samples * channels));
    for (std::int64_t c = 0; c < channels; ++c)
      zoom_.apply(
          std::span(recording.pressure)
              .subspan(static_cast<std::size_t>(c * recording.samples), static_cast<std::size_t>(recording.samples)),
          first_, recording.samples, records_.values.data() + c, channels);
    end_at_noise();
    const double poles = search.density * 2.0 * (band.zoom.half + band.zoom.transition);
    rows_ = std::clamp(static_cast<int>(2.5 * poles) + 72, 120, 600);
  }

  bool long_enough() const { return records_.samples >= least_samples; }

  void find(std::size_t band, std::vector<Candidate>& into, ModeList& list) const {
    const std::int64_t n = records_.samples;
    PoleOptions first, second;
    first.end = n, first.rows = rows_;
    second.begin = n / 12, second.end = n - n / 24, second.rows = rows_ * 3 / 4, second.above_noise = 15.0;
    const Estimate one = estimate_poles(records_, zoom_, first), other = estimate_poles(records_, zoom_, second);
    list.residual = std::max(list.residual, one.poles.residual);
    double total = 0.0;
    for (const Complex& value : records_.values) total += std::norm(value);
    const std::vector<std::size_t> partners = partners_of(one.z, other.z);
    for (std::size_t k = 0; k < one.z.size(); ++k) {
      FoundMode mode = mode_of(one, k);
      if (mode.frequency < band_.low || mode.frequency >= band_.high) continue;
      const double share = share_of(one.poles, k, n, total);
      if (share < least_share) continue;  // noise has exponentials in any number
      if (partners[k] < other.z.size() && agrees(mode, other.z[partners[k]]) &&
          share > over_residual * one.poles.residual * one.poles.residual && has_shape_of(mode, other))
        into.push_back({std::move(mode), band, band_.overlap});
      else
        ++list.left_out;
    }
  }
  double lost() const { return static_cast<double>(zoom_.length()) / rate_; }
  double duration() const { return static_cast<double>(records_.samples * zoom_.decimation()) / rate_; }

 private:
  static constexpr std::int64_t first_ = 2;  // after the drive
  static constexpr std::int64_t least_samples = 16;

  FoundMode mode_of(const Estimate& estimate, std::size_t k) const {
    FoundMode mode;
    const Complex z = mode.z = estimate.z[k];
    if (z == 0.0) return mode;
    mode.frequency = std::arg(z) * rate_ / (2.0 * pi);
    mode.decay = -std::log(std::abs(z)) * rate_;
    // The drives belong to this sample of the record, behind the filter.
    const Complex at = zoom_.gain(z) * std::pow(z, static_cast<double>(first_ + zoom_.length() - 1)) *
                       std::pow(estimate.poles.z[k], static_cast<double>(estimate.begin));
    mode.shapes.push_back(estimate.poles.shapes[k]);
    mode.drives.push_back(estimate.poles.drives[k]);
    for (Complex& drive : mode.drives[0]) drive *= 2.0 / at;
    return mode;
  }

  bool agrees(FoundMode& mode, const Complex& other) const {
    if (mode.decay * duration() < -agreed_over_record || mode.decay > 2.0 * pi * band_.zoom.half) return false;
    const Complex difference = std::log(other / mode.z) * rate_;
    mode.decay_error = std::abs(difference.real());
    mode.frequency_error = std::abs(difference.imag()) / (2.0 * pi);
    return agree(mode, difference);
  }

  bool agree(const FoundMode& mode, const Complex& difference) const {
    return std::abs(difference.imag()) <= 2.0 * pi * agreed_frequency * mode.frequency &&
           std::abs(difference.real()) <= agreed_decay * mode.decay + agreed_over_record / duration();
  }

  // Modes of nearly one frequency may share their shapes out otherwise: those of all that agree count together.
  bool has_shape_of(const FoundMode& mode, const Estimate& other) const {
    std::vector<std::vector<Complex>> shapes;
    for (std::size_t i = 0; i < other.z.size(); ++i)
      if (other.z[i] != 0.0 && agree(mode, std::log(other.z[i] / mode.z) * rate_))
        shapes.push_back(other.poles.shapes[i]);
    return part_within(mode.shapes[0], shapes) >= agreed_shape;
  }

  // Leaves out what follows the decay: rounding noise, or less than rounding leaves exact.
  void end_at_noise() {
    const std::int64_t channels = records_.sources * records_.receivers, n = records_.samples;
    const auto power = [&](std::int64_t begin, std::int64_t end) {  // mean of a sample
      double sum = 0.0;
      for (std::int64_t i = begin * channels; i < end * channels; ++i)
        sum += std::norm(records_.values[static_cast<std::size_t>(i)]);
      return sum / static_cast<double>(end - begin);
    };
    const std::int64_t tenth = n / 10, block = std::max(least_samples, n / 100);
    double strongest = 0.0;
    for (std::int64_t m = 0; m + block <= n; m += block) strongest = std::max(strongest, power(m, m + block));
    double least = range_of_decay * strongest;
    if (tenth >= least_samples) {
      const double last = power(n - tenth, n), before = power(n - 2 * tenth, n - tenth);
      const bool level = before < 2.0 * last;  // noise does not decay
      if (level && last < noise_below * strongest) least = std::max(least, above_noise * last);
    }
    std::int64_t end = n;
    while (end > 2 * block && power(end - block, end) < least) end -= block;
    records_.samples = end;
    records_.values.resize(static_cast<std::size_t>(end * channels));
  }

  Band band_;
  Zoom zoom_;
  double rate_ = 0.0;
  BandRecords records_;
  int rows_ = 0;
};

// A mode where two bands overlap is found in both: of two that lie no wider apart each band has both.
bool is_same(const FoundMode& a, const Candidate& b, bool other_band) {
  const double frequency = same_frequency * a.frequency + 3.0 * (a.frequency_error + b.mode.frequency_error);
  return std::abs(a.frequency - b.mode.frequency) <= (other_band ? std::max(frequency, b.overlap) : frequency) &&
         std::abs(a.decay - b.mode.decay) <=
             (other_band ? agreed_decay : same_decay) * a.decay + 3.0 * (a.decay_error + b.mode.decay_error);
}

std::vector<FoundMode> joined(std::vector<Candidate> candidates) {
  std::ranges::stable_sort(candidates, {}, [](const Candidate& one) { return one.mode.frequency; });
  std::vector<FoundMode> modes;
  std::size_t band = 0;  // of the last mode
  for (Candidate& one : candidates) {
    const bool other_band = one.band != band;
    if (modes.empty() || !is_same(modes.back(), one, other_band)) {
      band = one.band;
      modes.push_back(std::move(one.mode));
      continue;
    }
    if (other_band) continue;
    FoundMode& into = modes.back();
    into.frequency_error = std::max(into.frequency_error, one.mode.frequency_error);
    into.decay_error = std::max(into.decay_error, one.mode.decay_error);
    into.shapes.push_back(std::move(one.mode.shapes[0]));
    into.drives.push_back(std::move(one.mode.drives[0]));
  }
  return modes;
}

}  // namespace

Complex FoundMode::amplitude(std::size_t source, std::size_t receiver) const {
  Complex sum = 0.0;
  for (std::size_t k = 0; k < shapes.size(); ++k) sum += drives[k][source] * shapes[k][receiver];
  return sum;
}

// So narrow that the filter takes a third of the decay, 20 dB.
double band_transition(const ModeSearch& search) {
  constexpr double widest = 60.0, narrowest = 8.0;
  return std::clamp(zoom_seconds(1.0) / (search.decay_time / 3.0), narrowest, widest);
}

ModeList find_modes(const Recording& recording, const ModeSearch& search) {
  struct Found {
    std::vector<Candidate> candidates;
    ModeList list;
  };
  const std::vector<Band> bands = bands_of(search);
  std::vector<Found> found(bands.size());
  ParallelFailure failure;
  // Eigen computes with one thread inside a parallel region: the same bytes for any number of threads.
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < bands.size(); ++b)
    failure.guard([&, b] {
      const BandSearch band(recording, bands[b], search);
      if (!band.long_enough())
        throw Error(Status::numerical,
                    fmt::format("a record of {:.3g} s is too short to separate modes",
                                static_cast<double>(recording.samples) / recording.sample_rate),
                    fmt::format("the filter of a band takes {:.3g} s of it: record longer", band.lost()));
      found[b].list.lost = band.lost();
      found[b].list.used = band.duration();
      band.find(b, found[b].candidates, found[b].list);
    });
  failure.rethrow();
  ModeList list;
  list.used = std::numeric_limits<double>::infinity();
  std::vector<Candidate> candidates;
  for (Found& one : found) {
    list.left_out += one.list.left_out;
    list.lost = std::max(list.lost, one.list.lost);
    list.used = std::min(list.used, one.list.used);
    list.residual = std::max(list.residual, one.list.residual);
    std::ranges::move(one.candidates, std::back_inserter(candidates));
  }
  list.modes = joined(std::move(candidates));
  return list;
}

}  // namespace fdtd
