#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/axes.hpp"
#include "base/math/fourier.hpp"
#include "engine/aes69/aes69_file.hpp"
#include "engine/directivity/balloon_data.hpp"

namespace fdtd {
namespace {

const std::vector<std::string> balloon_conventions = {"FreeFieldDirectivityTF", "FreeFieldDirectivityIR", "GeneralTF",
                                                      "GeneralFIR"};

// Which measurements add up, and whether directions are those of measurements.
struct BalloonPlan {
  Aes69Shape shape;
  bool by_measurement = false;
  std::uint64_t first = 0, end = 1;  // measurements of the sum, where directions are receivers
  std::size_t directions() const { return static_cast<std::size_t>(by_measurement ? shape.M : shape.R); }
};

BalloonPlan plan_of(const Aes69File& file, const Aes69Shape& shape, int measurement) {
  BalloonPlan plan;
  plan.shape = shape;
  plan.by_measurement = shape.R == 1 && shape.M > 1;
  if (shape.E != 1) file.refuse(fmt::format("has {} emitters: a source is one", shape.E), "export each as a file");
  if (plan.directions() > most_balloon_directions)
    file.refuse(fmt::format("{} directions are more than {}", plan.directions(), most_balloon_directions),
                "a grid of 2 degrees is fine enough");
  if (plan.by_measurement) {
    if (measurement != 0)
      file.refuse("its measurements (M) are directions: there is one source", "leave the key measurement out");
    return plan;
  }
  if (shape.R == 1) file.refuse("holds one direction: a directivity needs many, as receivers (R) or measurements (M)");
  const auto count = static_cast<int>(std::min<std::uint64_t>(shape.M, 1000000));
  if (measurement == all_measurements) {
    plan.end = shape.M;
  } else if (measurement > count || (measurement == 0 && count > 1)) {
    file.refuse(
        measurement == 0 ? fmt::format("holds {} measurements (M)", count)
                         : fmt::format("holds {} measurements (M), not {}", count, measurement),
        fmt::format("measurement = 1 to {} takes one, measurement = \"sum\" lets all of them sound together", count));
  } else {
    plan.first = static_cast<std::uint64_t>(std::max(measurement, 1)) - 1;
    plan.end = plan.first + 1;
  }
  return plan;
}

Point normalised(const Aes69File& file, const std::string& name, const Point& v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 1e-9)) file.refuse(name + " has a vector of length 0");
  return {v[0] / length, v[1] / length, v[2] / length};
}

// Where receivers stand, seen from the source: along its view, to its left, along its up.
class SourceFrames {
 public:
  SourceFrames(const Aes69File& file, const Aes69Shape& shape)
      : file_(file),
        sources_(file.vectors("SourcePosition", shape.M)),
        listeners_(file.has("ListenerPosition") ? file.vectors("ListenerPosition", shape.M)
                                                : std::vector<Aes69Vector>(shape.M)) {
    const Aes69Vector x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    views_ = file.has("SourceView") ? file.vectors("SourceView", shape.M) : std::vector<Aes69Vector>(shape.M, x);
    ups_ = file.has("SourceUp") ? file.vectors("SourceUp", shape.M, 0, "SourceView")
                                : std::vector<Aes69Vector>(shape.M, z);
    for (const auto& [name, wanted] : {std::pair("ListenerView", x), {"ListenerUp", z}})
      if (file.has(name))
        for (const Aes69Vector& one : file.vectors(name, shape.M, 0, "ListenerView")) {
          const Point v = normalised(file, name, one);
          if (std::hypot(v[0] - wanted[0], v[1] - wanted[1], v[2] - wanted[2]) > 1e-3)
            file.refuse(fmt::format("{} turns the receivers: ({:g}, {:g}, {:g})", name, v[0], v[1], v[2]),
                        "state their positions in the axes of the listener (1, 0, 0) and (0, 0, 1)");
        }
  }

  Point operator()(std::uint64_t m, const Aes69Vector& receiver) const {
    const std::optional<Axes> axes = axes_of(views_[m], ups_[m]);
    if (!axes) file_.refuse(fmt::format("SourceView and SourceUp of measurement {} span no axes", m + 1));
    return in_axes(*axes, minus(plus(listeners_[m], receiver), sources_[m]));
  }

 private:
  const Aes69File& file_;
  std::vector<Aes69Vector> sources_, listeners_, views_, ups_;
};

void read_directions(const Aes69File& file, const BalloonPlan& plan, BalloonData& data) {
  const SourceFrames frames(file, plan.shape);
  for (std::uint64_t m = plan.first; m < (plan.by_measurement ? plan.shape.M : plan.first + 1); ++m)
    for (const Aes69Vector& receiver : file.vectors("ReceiverPosition", plan.shape.R, m))
      data.directions.push_back(frames(m, receiver));
  double nearest = HUGE_VAL, farthest = 0.0;
  for (Point& one : data.directions) {
    const double length = std::hypot(one[0], one[1], one[2]);
    nearest = std::min(nearest, length);
    farthest = std::max(farthest, length);
    if (length > 0.0)
      for (double& x : one) x /= length;
  }
  if (!(nearest > 0.01) || farthest > 1.02 * nearest || farthest > 1000.0)
    file.refuse(fmt::format("its receivers are {:.4g} to {:.4g} m from the source", nearest, farthest),
                "they must stand on a sphere about it, up to 1000 m away");
  data.distance = 0.5 * (nearest + farthest);
}

// Adds rows of `count` receivers, at the frequencies that are used.
void add_rows(BalloonData& data, std::size_t first, std::span<const std::complex<double>> rows, std::size_t all,
              const std::vector<std::size_t>& used) {
  for (std::size_t r = 0; r < rows.size() / all; ++r)
    for (std::size_t k = 0; k < used.size(); ++k) data.values[(first + r) * used.size() + k] += rows[r * all + used[k]];
}

void require_room(const Aes69File& file, std::size_t directions, std::size_t frequencies) {
  if (frequencies == 0) file.refuse("holds no frequency above 0");
  if (frequencies > most_balloon_values / directions)
    file.refuse(fmt::format("{} directions at {} frequencies are more than {} values", directions, frequencies,
                            most_balloon_values),
                "export fewer frequencies or directions");
}

void read_spectra(const Aes69File& file, const BalloonPlan& plan, BalloonData& data) {
  const std::vector<double> all = file.frequencies();
  const std::vector<std::size_t> used = used_frequencies(all);
  require_room(file, plan.directions(), used.size());
  for (const std::size_t k : used) data.frequencies.push_back(all[k]);
  data.values.assign(plan.directions() * used.size(), 0.0);
  for (std::uint64_t m = plan.first; m < (plan.by_measurement ? plan.shape.M : plan.end); ++m)
    add_rows(data, plan.by_measurement ? m : 0, file.spectrum(m, 0, plan.shape.R), all.size(), used);
}

void read_responses(const Aes69File& file, const BalloonPlan& plan, BalloonData& data) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 18;
  const double rate = file.sampling_rate();
  if (plan.shape.N > longest)
    file.refuse(fmt::format("responses of {} samples: at most {}", plan.shape.N, longest), "cut them");
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(plan.shape.N));
  std::vector<double> all;
  for (std::int64_t k = 0; static_cast<double>(k) < 0.45 * static_cast<double>(length); ++k)
    all.push_back(static_cast<double>(k) * rate / static_cast<double>(length));
  const std::vector<std::size_t> used = used_frequencies(all);
  require_room(file, plan.directions(), used.size());
  for (const std::size_t k : used) data.frequencies.push_back(all[k]);
  data.values.assign(plan.directions() * used.size(), 0.0);
  for (std::uint64_t m = plan.first; m < (plan.by_measurement ? plan.shape.M : plan.end); ++m)
    for (std::uint64_t r = 0; r < plan.shape.R; ++r) {
      std::vector<double> samples = file.response(m, r);
      samples.resize(static_cast<std::size_t>(length), 0.0);
      std::vector<std::complex<double>> spectrum = real_fft(samples, length);
      const double samples_late = file.delay(m, r);
      if (!(std::abs(samples_late) <= static_cast<double>(longest)))
        file.refuse(fmt::format("Data.Delay of measurement {} and receiver {} is {:g} samples, up to {} are read",
                                m + 1, r + 1, samples_late, longest));
      const double delay = 2.0 * std::acos(-1.0) * samples_late / static_cast<double>(length);
      for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= std::polar(1.0, -delay * static_cast<double>(k));
      add_rows(data, plan.by_measurement ? m : r, spectrum, spectrum.size(), used);
    }
}

}  // namespace

std::vector<std::size_t> used_frequencies(const std::vector<double>& all) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] >= lowest_balloon && all[i] <= highest_balloon) used.push_back(i);
  if (used.empty())
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] > 0.0) used.push_back(i);
  std::vector<std::size_t> thin;
  double next = 0.0;
  const double step = std::exp2(1.0 / balloon_points_an_octave);
  for (const std::size_t i : used)
    if (all[i] >= next * (1.0 - 1e-9)) {
      thin.push_back(i);
      next = all[i] * step;
    }
  return thin;
}

BalloonData read_balloon_sofa(const std::filesystem::path& path, int measurement) {
  const Aes69File file(path);
  file.require_convention(balloon_conventions);
  const bool spectra = file.data_type().starts_with("TF");
  const BalloonPlan plan = plan_of(file, spectra ? file.spectra() : file.responses(), measurement);
  BalloonData data;
  data.kind = file.convention();
  read_directions(file, plan, data);
  if (spectra)
    read_spectra(file, plan, data);
  else
    read_responses(file, plan, data);
  return data;
}

}  // namespace fdtd
