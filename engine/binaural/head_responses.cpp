#include "engine/binaural/head_responses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "base/axes.hpp"
#include "base/math/directions.hpp"
#include "base/math/fractional_delay.hpp"
#include "engine/aes69/aes69_file.hpp"

namespace fdtd {
namespace {

// Of the listener, by measurement.
std::vector<Axes> listener_axes(const Aes69File& file, std::size_t measurements) {
  std::vector<Axes> axes(measurements);
  if (!file.has("ListenerView")) return axes;
  const std::vector<Aes69Vector> views = file.vectors("ListenerView", measurements);
  const std::vector<Aes69Vector> ups = file.has("ListenerUp")
                                           ? file.vectors("ListenerUp", measurements, 0, "ListenerView")
                                           : std::vector<Aes69Vector>(measurements, {0.0, 0.0, 1.0});
  for (std::size_t m = 0; m < measurements; ++m) {
    const auto of_head = axes_of(views[m], ups[m]);
    if (!of_head) file.refuse(fmt::format("ListenerView and ListenerUp of measurement {} span no head", m + 1));
    axes[m] = *of_head;
  }
  return axes;
}

// Whether the first receiver is the right ear: in the listener's own axes, y is to the left.
bool right_ear_first(const Aes69File& file) {
  if (!file.has("ReceiverPosition")) return false;
  const std::vector<Aes69Vector> ears = file.vectors("ReceiverPosition", 2);
  return ears[0][1] < ears[1][1];
}

struct Measured {
  std::size_t measurement = 0;
  Point direction{};
  double distance = 0.0;  // m
};

// Refuses a direction that stands there twice at one distance with clearly other responses: its label is wrong. Repeated
// measurements differ by less, and above and below the head grids repeat one direction for each azimuth.
void require_alike(const Aes69File& file, const Measured& one, const Measured& again) {
  constexpr double alike = 0.1;  // of the energy
  if (std::hypot(one.direction[0], one.direction[1]) < 1e-3) return;
  const std::vector<double> first = file.response(one.measurement, 0, 2),
                            second = file.response(again.measurement, 0, 2);
  double energy = 0.0, apart = 0.0;
  for (std::size_t n = 0; n < first.size(); ++n) {
    energy += first[n] * first[n] + second[n] * second[n];
    apart += (first[n] - second[n]) * (first[n] - second[n]);
  }
  if (apart > 0.5 * alike * energy)
    file.refuse(fmt::format("measurement {} has the direction of measurement {}, and other responses",
                            again.measurement + 1, one.measurement + 1),
                "correct SourcePosition, or export each direction once");
}

// One for each direction: those at the farthest distance of it.
std::vector<Measured> measured_of(const Aes69File& file, std::size_t measurements) {
  constexpr double same = 1e-4;  // rad, between two directions
  constexpr double step = 1e-3;  // m: distances are compared in such steps
  const std::vector<Axes> axes = listener_axes(file, measurements);
  const std::vector<Aes69Vector> sources = file.vectors("SourcePosition", measurements);
  const std::vector<Aes69Vector> heads = file.has("ListenerPosition")
                                             ? file.vectors("ListenerPosition", measurements)
                                             : std::vector<Aes69Vector>(measurements, Aes69Vector{});
  std::vector<Measured> all;
  for (std::size_t m = 0; m < measurements; ++m) {
    const Point away = minus(sources[m], heads[m]);
    const double distance = norm(away);
    if (!(distance > 0.0)) file.refuse(fmt::format("the source of measurement {} is at the listener's place", m + 1));
    all.push_back({m, in_axes(axes[m], scaled(1.0 / distance, away)), distance});
  }
  const auto steps = [](const Measured& one) { return std::round(one.distance / step); };
  std::ranges::stable_sort(all, std::ranges::greater{}, steps);
  std::vector<Measured> kept;
  for (const Measured& one : all) {
    const auto first = std::ranges::find_if(
        kept, [&](const Measured& k) { return dot(k.direction, one.direction) > 1.0 - same * same / 2.0; });
    if (first == kept.end())
      kept.push_back(one);
    else if (steps(one) == steps(*first))
      require_alike(file, *first, one);
  }
  std::ranges::stable_sort(kept, {}, &Measured::measurement);
  return kept;
}

using EarDelays = std::vector<std::array<double, 2>>;  // samples

bool has_fractions(const EarDelays& delays) {
  return !std::ranges::all_of(delays, [](const auto& both) { return std::ranges::all_of(both, is_whole_delay); });
}

// Samples before all responses for what the smallest fractional delay spreads before its place. Filters take a delay that
// all have in common away.
std::size_t room_before(const EarDelays& delays) {
  double least = delay_reach;
  for (const auto& both : delays)
    for (const double one : both)
      if (!is_whole_delay(one)) least = std::min(least, std::floor(one));
  return static_cast<std::size_t>(delay_reach - least);
}

void read_ears(const Aes69File& file, const std::vector<Measured>& measured, std::size_t samples, HeadResponses& head) {
  double latest = 0.0;
  EarDelays delays;
  for (const Measured& one : measured) {
    delays.push_back({file.delay(one.measurement, 0), file.delay(one.measurement, 1)});
    latest = std::max({latest, delays.back()[0], delays.back()[1]});
    if (!(std::min(delays.back()[0], delays.back()[1]) >= 0.0) || !(latest <= static_cast<double>(most_head_samples)))
      file.refuse(fmt::format("Data.Delay of measurement {} is not within 0 to {} samples", one.measurement + 1,
                              most_head_samples));
  }
  const std::size_t lead = room_before(delays);
  head.samples = lead + samples + static_cast<std::size_t>(std::ceil(latest)) +
                 (has_fractions(delays) ? static_cast<std::size_t>(delay_reach) : 0);
  constexpr std::size_t most = std::size_t{1} << 22;  // samples of an ear: their spectra take 32 times as many bytes
  if (head.samples * measured.size() > most)
    file.refuse(fmt::format("{} directions of {} samples are more than the {} samples of an ear that are read",
                            measured.size(), head.samples, most),
                "use shorter responses or fewer directions");
  head.ears.assign(2 * measured.size() * head.samples, 0.0);
  const std::size_t right = right_ear_first(file) ? 0 : 1;
  std::array<double, 2> energy{};
  for (std::size_t q = 0; q < measured.size(); ++q) {
    const std::vector<double> both = file.response(measured[q].measurement, 0, 2);
    for (std::size_t ear = 0; ear < 2; ++ear) {
      const std::size_t receiver = ear == 1 ? right : 1 - right;
      const auto response = std::span(both).subspan(receiver * samples, samples);
      for (const double x : response) {
        if (!std::isfinite(x) || std::abs(x) > 1e6)
          file.refuse(fmt::format("Data.IR of measurement {} holds {}", measured[q].measurement + 1, x));
        energy[ear] += x * x;
      }
      write_delayed(response, static_cast<double>(lead) + delays[q][receiver],
                    std::span(head.ears).subspan((2 * q + ear) * head.samples, head.samples));
    }
  }
  for (std::size_t ear = 0; ear < 2; ++ear)
    if (!(energy[ear] > 0.0)) file.refuse(ear == 0 ? "the left ear is silent" : "the right ear is silent");
}

}  // namespace

std::vector<double> solid_angles(const std::vector<Point>& directions) {
  constexpr std::size_t places = 20000;
  std::vector<double> shares(directions.size(), 0.0);
  for (const Point& place : spiral(places)) {
    std::size_t nearest = 0;
    double most = -2.0;
    for (std::size_t q = 0; q < directions.size(); ++q)
      if (const double cosine = dot(place, directions[q]); cosine > most) most = cosine, nearest = q;
    shares[nearest] += 1.0 / static_cast<double>(places);
  }
  return shares;
}

HeadResponses read_head(const std::filesystem::path& path) {
  const Aes69File file(path);
  const std::array<std::string, 1> known = {"SimpleFreeFieldHRIR"};
  file.require_convention(known);
  const Aes69Shape shape = file.responses();
  if (shape.R != 2)
    file.refuse(fmt::format("it has {} receiver{}, a head has two", shape.R, shape.R == 1 ? "" : "s"),
                "name a file of head-related responses");
  if (shape.M > most_directions || shape.N > most_head_samples || shape.N < 16)
    file.refuse(fmt::format("it has {} directions of {} samples, up to {} of 16 to {} are read", shape.M, shape.N,
                            most_directions, most_head_samples),
                "use fewer directions or shorter responses");
  HeadResponses head;
  head.sample_rate = file.sampling_rate();
  if (!(head.sample_rate >= 8000.0 && head.sample_rate <= 384000.0))
    file.refuse(fmt::format("its sampling rate is {:g} Hz, not within 8000 to 384000 Hz", head.sample_rate));
  const auto measurements = static_cast<std::size_t>(shape.M);
  const std::vector<Measured> measured = measured_of(file, measurements);
  if (measured.size() < measurements)
    head.remarks.push_back(fmt::format("{}: of {} measurements {} are of directions of their own; the farthest counts",
                                       path.filename().string(), measurements, measured.size()));
  std::vector<double> distances;
  for (const Measured& one : measured) {
    head.directions.push_back(one.direction);
    distances.push_back(one.distance);
  }
  std::ranges::nth_element(distances, distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2));
  head.distance = std::min(distances[distances.size() / 2], plane_waves);
  head.gap = widest_gap_of(head.directions);
  if (head.gap > widest_gap)
    file.refuse(
        fmt::format("there are directions up to {:.0f} degrees from the nearest measured one, {:.0f} are bridged",
                    head.gap, widest_gap),
        "use a file with directions all round the head");
  read_ears(file, measured, static_cast<std::size_t>(shape.N), head);
  return head;
}

}  // namespace fdtd
