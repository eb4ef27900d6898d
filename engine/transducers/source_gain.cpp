#include "engine/transducers/source_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "base/math/quadrature.hpp"
#include "base/parallel_failure.hpp"
#include "engine/transducers/tap_response.hpp"
#include "engine/transducers/taps.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double largest_gain =
    2.0;  // of one direction, over the map's; above it the group velocity is below half of the true one
constexpr double smallest_gain = 0.25;       // of a channel
constexpr double smallest_ball_gain = 1e-3;  // whose radial function falls towards the band's edge
// Places within a cell that would need more tables than that are taken to the nearest of 64 parts of it along each
// axis, or of half as many until they do not. With 64 |W|^2 of a wave along an axis changes by less than 4e-5 at six
// points a wavelength, 2e-4 (0.001 dB) at five, 7e-4 at four; with half as many, by twice that.
constexpr std::size_t max_tables = 8192;
constexpr int max_parts_of_cell = 64, min_parts_of_cell = 8;

// One direction of the octant: k = kappa * per_kappa, radians per cell; kappa grows with w.
class Ray {
 public:
  Ray(const GridStencil& stencil, const Vec3& direction, double weight_) : weight(weight_), stencil_(stencil) {
    for (std::size_t d = 0; d < 3; ++d) {
      per_kappa_[d] = direction[d] / stencil.courant[d];
      end_ = std::min(end_, pi / std::max(per_kappa_[d], 1e-12));
    }
  }
  // g where K = target (targets ascend); nullopt if no wave propagates or it is too slow.
  std::optional<double> gain(double target, double of_map) {
    const double largest = largest_gain * of_map;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const SymbolSlopes here = symbol_slopes(stencil_, at(kappa_));
      const double missing = target - (2.0 - here.value), rise = along_ray(here.gradient);
      if (rise * largest <= 2.0 * kappa_) return std::nullopt;
      const double step = missing / rise;
      kappa_ += step;
      if (kappa_ > end_ || kappa_ <= 0.0) return std::nullopt;
      if (std::abs(step) <= 1e-9 * kappa_) {  // convergence is quadratic: the next error is rounding
        const double g = 2.0 * kappa_ / along_ray(symbol_gradient(stencil_, at(kappa_)));
        return g > 0.0 && g < largest ? std::optional(g) : std::nullopt;
      }
    }
    return std::nullopt;
  }
  Vec3 wave_vector() const { return at(kappa_); }  // of the last gain, radians a cell
  double weight;

 private:
  Vec3 at(double kappa) const { return {kappa * per_kappa_[0], kappa * per_kappa_[1], kappa * per_kappa_[2]}; }
  double along_ray(const Vec3& gradient) const {
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) sum -= gradient[d] * per_kappa_[d];
    return sum;
  }
  const GridStencil& stencil_;
  Vec3 per_kappa_{};
  double end_ = 1e300;
  double kappa_ = 1e-3;  // small, but not so small that K = kappa^2 loses its digits
};

std::vector<Ray> rays_of_octant(const GridStencil& stencil) {
  std::vector<Ray> rays;
  const auto nodes = gauss_legendre(8);
  for (const auto& height : nodes)
    for (const auto& turn : nodes) {
      const double across = std::sqrt(1.0 - height.x * height.x), angle = pi / 2.0 * turn.x;
      rays.emplace_back(stencil, Vec3{across * std::cos(angle), across * std::sin(angle), height.x},
                        height.weight * turn.weight);
    }
  return rays;
}

double mean_product(const Mirrored& a, const Mirrored& b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]) / 4.0;
}

// Extends the table to `samples`: its logarithm continues with its last slope, which decays over a sixteenth of the
// axis.
void extend(std::vector<double>& gain, std::size_t samples) {
  const std::size_t last = gain.size() - 1;
  const double log_end = std::log(gain[last]), slope = last > 0 ? log_end - std::log(gain[last - 1]) : 0.0;
  const double decay = static_cast<double>(samples - 1) / 16.0;
  while (gain.size() < samples) {
    const double beyond = static_cast<double>(gain.size() - last);
    gain.push_back(std::exp(log_end + slope * decay * (1.0 - std::exp(-beyond / decay))));
  }
}

// True wave number in 1/m at the numerical frequency w.
struct WaveNumber {
  double metres_a_step = 0.0;  // c T
  FrequencyMap map;
  double operator()(double w) const { return map.truth(w) / metres_a_step; }
  // g of waves of the same speed in all directions, 1 but for the map's own dispersion.
  double of_map(double w) const {
    if (map.kind() != FrequencyMap::Kind::radial) return 1.0;
    const double x = map.truth(w);
    return 2.0 * x / (map.slope(x) * 2.0 * std::sin(w));
  }
};

// The rays at the frequencies i = 1, 2, ... of a table, as long as all directions have a wave.
std::vector<std::vector<RayPoint>> ray_points(const GridStencil& stencil, const WaveNumber& number, int samples) {
  auto rays = rays_of_octant(stencil);
  std::vector<std::vector<RayPoint>> points;
  for (int i = 1; i < samples; ++i) {
    const double w = pi * i / (samples - 1), root = 2.0 * std::sin(w / 2.0);
    std::vector<RayPoint> here;
    for (auto& ray : rays) {
      const auto g = ray.gain(root * root, number.of_map(w));
      if (!g) return points;
      here.push_back({ray.weight, ray.weight * *g * *g, number(w), ray.wave_vector()});
    }
    points.push_back(std::move(here));
  }
  return points;
}

using Points = std::vector<std::vector<RayPoint>>;

// A tap's |W|^2 at all points, and what it should be.
struct TapCourse {
  std::vector<Mirrored> is, ideal;
};

std::vector<Mirrored> ideal_course(const TapResponse& tap, const Points& points) {
  std::vector<Mirrored> course;
  for (const auto& here : points)
    for (const RayPoint& point : here) course.push_back(tap.ideal(point.k, point.number));
  return course;
}

TapCourse course_of(const TapResponse& tap, const Points& points) {
  TapCourse course{{}, ideal_course(tap, points)};
  for (const auto& here : points)
    for (const RayPoint& point : here) course.is.push_back(tap(point.k));
  return course;
}

// The exact product of two courses, by frequency.
std::vector<double> wanted_of(const std::vector<Mirrored>& a, const std::vector<Mirrored>& b, const Points& points) {
  std::vector<double> wanted;
  std::size_t p = 0;
  for (const auto& here : points) {
    double sum = 0.0;
    for (const RayPoint& point : here) {
      sum += point.weight * mean_product(a[p], b[p]);
      ++p;
    }
    wanted.push_back(sum);
  }
  return wanted;
}

// Of the sums over the rays, by frequency.
std::vector<double> table_of(const std::vector<double>& squares, const std::vector<double>& wanted, int samples,
                             double smallest) {
  std::vector<double> gain{1.0};
  for (std::size_t i = 0; i < squares.size(); ++i)
    gain.push_back(std::sqrt(wanted[i] > 0.0 ? squares[i] / wanted[i] : 1.0));
  extend(gain, static_cast<std::size_t>(samples));
  for (double& g : gain) g = std::max(g, smallest);
  return gain;
}

// The factors of |W|^2 along the axes at all points, once for each place along an axis: receivers on a grid, or at parts
// of a cell, are many more than their places along one axis.
class AxisFactors {
 public:
  AxisFactors(const std::vector<TapResponse>& taps, const Points& points) {
    constexpr double rounding = 1e9;
    std::array<std::map<std::int64_t, std::size_t>, 3> known;
    column_of_.resize(taps.size());
    for (std::size_t t = 0; t < taps.size(); ++t) {
      if (!taps[t].omnidirectional()) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        const double place = taps[t].place(d);
        const auto key = static_cast<std::int64_t>(std::llround(std::min(place, 1.0 - place) * rounding));
        const auto [at, fresh] = known[d].emplace(key, columns_.size());
        column_of_[t][d] = at->second;
        if (!fresh) continue;
        std::vector<double>& column = columns_.emplace_back();
        for (const auto& here : points)
          for (const RayPoint& point : here) column.push_back(taps[t].factor(d, point.k[d]));
        if (columns_.size() == max_columns) {
          columns_.clear();
          return;
        }
      }
    }
  }
  bool hold(const TapResponse& tap) const { return tap.omnidirectional() && !columns_.empty(); }
  // |W|^2 of tap t at all points.
  void squares_of(std::size_t t, std::vector<double>& squares) const {
    const auto &x = columns_[column_of_[t][0]], &y = columns_[column_of_[t][1]], &z = columns_[column_of_[t][2]];
    squares.resize(x.size());
    for (std::size_t p = 0; p < x.size(); ++p) squares[p] = x[p] * y[p] * z[p];
  }

 private:
  static constexpr std::size_t max_columns = 512;  // of 8 bytes a point, some 64 MB
  std::vector<std::vector<double>> columns_;
  std::vector<std::array<std::size_t, 3>> column_of_;
};

double mean_of(const Mirrored& a) { return (a[0] + a[1] + a[2] + a[3]) / 4.0; }

// A course beside taps that are omnidirectional, whose |W|^2 is the same at all mirror images and should be 1.
struct MeanCourse {
  MeanCourse(const TapCourse& course, const Points& points) {
    std::size_t p = 0;
    for (const auto& here : points) {
      double sum = 0.0;
      for (const RayPoint& point : here) {
        is.push_back(point.gain_squared * mean_of(course.is[p]));
        sum += point.weight * mean_of(course.ideal[p++]);
      }
      wanted.push_back(sum);
    }
  }
  std::vector<double> is;      // times g squared and the weight, by point
  std::vector<double> wanted;  // by frequency
};

std::vector<double> table_of(const MeanCourse& a, const std::vector<double>& squares, int samples, double smallest) {
  std::vector<double> sums;
  const std::size_t rays = a.wanted.empty() ? 0 : a.is.size() / a.wanted.size();
  for (std::size_t i = 0; i < a.wanted.size(); ++i) {
    double square = 0.0;
    for (std::size_t p = i * rays; p < (i + 1) * rays; ++p) square += a.is[p] * squares[p];
    sums.push_back(square);
  }
  return table_of(sums, a.wanted, samples, smallest);
}

// Taps that share their nodes, and for each the number of its operation in a list.
struct Place {
  std::vector<std::size_t> taps, operations;
};

// The directional taps by place; `operations`: a tap of each operation.
std::vector<Place> places_of(const std::vector<TapResponse>& taps, std::vector<const TapResponse*>& operations) {
  std::vector<Place> places;
  for (std::size_t t = 0; t < taps.size(); ++t) {
    if (taps[t].omnidirectional()) continue;
    const auto known = std::ranges::find_if(
        operations, [&](const TapResponse* one) { return one->operation() == taps[t].operation(); });
    const auto operation = static_cast<std::size_t>(known - operations.begin());
    if (known == operations.end()) operations.push_back(&taps[t]);
    // Channels of one receiver follow each other.
    constexpr std::size_t looked_at = 4;  // of the last places: orders differ in their number of nodes
    const auto last = static_cast<std::ptrdiff_t>(places.size() - std::min(places.size(), looked_at));
    const auto same = std::find_if(places.begin() + last, places.end(),
                                   [&](const Place& one) { return taps[one.taps[0]].shares_nodes_with(taps[t]); });
    Place& place = same == places.end() ? places.emplace_back() : *same;
    place.taps.push_back(t);
    place.operations.push_back(operation);
  }
  return places;
}

// Of the taps at one place, with each of `kept`, [tap * kept + j], by frequency: the sums over the rays.
std::vector<std::vector<double>> sums_at(const std::vector<const TapResponse*>& taps,
                                         const std::vector<TapCourse>& kept, const Points& points) {
  const bool ball = taps.front()->by_ball();  // then alone
  const PlaceResponse response(ball ? std::vector<const TapResponse*>{} : taps);
  std::vector<Mirrored> squares(taps.size());
  std::vector<std::vector<double>> sums(taps.size() * kept.size(), std::vector<double>(points.size(), 0.0));
  std::size_t p = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const RayPoint& point : points[i]) {
      if (ball) squares[0] = (*taps.front())(point.k);
      if (!ball) response(point.k, squares);
      for (std::size_t t = 0; t < taps.size(); ++t)
        for (std::size_t j = 0; j < kept.size(); ++j)
          sums[t * kept.size() + j][i] += point.gain_squared * mean_product(kept[j].is[p], squares[t]);
      ++p;
    }
  return sums;
}

// Tables of all pairs of taps, [a * second + b]. The responses of the shorter list are kept, those of the other are
// computed place by place.
std::vector<std::vector<double>> tables(const GridStencil& stencil, const std::vector<TapResponse>& first,
                                        const std::vector<TapResponse>& second, const WaveNumber& number, int samples) {
  const auto points = ray_points(stencil, number, samples);
  const bool keep_first = first.size() <= second.size();
  const auto &kept = keep_first ? first : second, &passing = keep_first ? second : first;
  const AxisFactors factors(passing, points);
  std::vector<TapCourse> courses;
  std::vector<MeanCourse> means;
  for (const TapResponse& tap : kept) {
    courses.push_back(course_of(tap, points));
    means.emplace_back(courses.back(), points);
  }
  std::vector<const TapResponse*> operations;
  const std::vector<Place> places = places_of(passing, operations);
  std::vector<std::vector<std::vector<double>>> wanted;  // by operation and kept tap
  for (const TapResponse* tap : operations) {
    const std::vector<Mirrored> ideal = ideal_course(*tap, points);
    wanted.emplace_back();
    for (const TapCourse& course : courses) wanted.back().push_back(wanted_of(course.ideal, ideal, points));
  }
  const auto smallest = [&](std::size_t i, std::size_t j) {
    return passing[i].by_ball() || kept[j].by_ball() ? smallest_ball_gain : smallest_gain;
  };
  std::vector<std::vector<double>> gain(first.size() * second.size());
  const auto at = [&](std::size_t i, std::size_t j) -> auto& {
    return gain[keep_first ? j * second.size() + i : i * second.size() + j];
  };
  constexpr std::size_t few_pairs = 8;  // take less time than threads wait for their next work
  ParallelFailure failure;
#pragma omp parallel if (first.size() * second.size() > few_pairs)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (std::size_t p = 0; p < places.size(); ++p)
      failure.guard([&] {
        const Place& place = places[p];
        std::vector<const TapResponse*> taps;
        for (const std::size_t i : place.taps) taps.push_back(&passing[i]);
        const auto sums = sums_at(taps, courses, points);
        for (std::size_t t = 0; t < taps.size(); ++t)
          for (std::size_t j = 0; j < kept.size(); ++j)
            at(place.taps[t], j) = table_of(sums[t * kept.size() + j], wanted[place.operations[t]][j], samples,
                                            smallest(place.taps[t], j));
      });
#pragma omp for schedule(dynamic, 16)
    for (std::size_t i = 0; i < passing.size(); ++i)
      failure.guard([&] {
        if (!passing[i].omnidirectional()) return;
        thread_local std::vector<double> squares;
        if (factors.hold(passing[i])) {
          factors.squares_of(i, squares);
        } else {
          squares.clear();
          for (const auto& here : points)
            for (const RayPoint& point : here) squares.push_back(passing[i](point.k)[0]);
        }
        for (std::size_t j = 0; j < kept.size(); ++j) at(i, j) = table_of(means[j], squares, samples, smallest(i, j));
      });
  }
  failure.rethrow();
  return gain;
}

// Taps whose tables are equal: one operation, and one place within a cell.
struct TapClasses {
  std::vector<TapResponse> taps;
  std::vector<std::uint32_t> of;  // by tap
};

// Places differ from `steps` equal parts of a cell on; steps = 0: as the numbers do, but for rounding. Ends early, with
// fewer entries than there are taps, beyond `most` classes.
TapClasses classes_of(const std::vector<Tap>& taps, const Grid& grid, const TapWeights& weights, int steps,
                      std::size_t most) {
  constexpr double rounding = 1e9;
  const double parts = steps > 0 ? steps : rounding;
  using Key = std::pair<std::vector<double>, std::array<std::int64_t, 3>>;
  std::map<Key, std::uint32_t> known;
  TapClasses classes;
  for (const Tap& tap : taps) {
    Key key;
    Tap middle{tap.channel, tap.position, {}, {}, tap.operation, tap.reach};
    if (tap.reach > 0.0) key.first.push_back(tap.reach);
    for (const DerivativeTerm& term : tap.operation) {
      key.first.push_back(term.coefficient);
      for (const int power : term.powers) key.first.push_back(power);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = tap.position[d] / grid.spacing[d] - 0.5;
      double place = at - std::floor(at);
      if (tap.operation.empty()) place = std::min(place, 1.0 - place);  // |W|^2 is the same
      key.second[d] = static_cast<std::int64_t>(std::llround(place * parts)) % static_cast<std::int64_t>(parts);
      if (steps > 0) middle.position[d] = (static_cast<double>(key.second[d]) / parts + 0.5) * grid.spacing[d];
    }
    const auto [at, fresh] = known.emplace(std::move(key), static_cast<std::uint32_t>(classes.taps.size()));
    if (fresh) classes.taps.emplace_back(middle, grid, weights);
    if (classes.taps.size() > most) break;
    classes.of.push_back(at->second);
  }
  return classes;
}

WaveNumber wave_number(const Plan& plan) { return {plan.grid.sound_speed * plan.grid.time_step, plan.frequency_map}; }

}  // namespace

std::vector<double> source_gain(const GridStencil& stencil, int samples, const FrequencyMap& map) {
  const Grid unit{{}, {1.0, 1.0, 1.0}, 0.0, 0.0};
  const Tap node{"", {0.5, 0.5, 0.5}, {}, {}, {}};
  const TapResponse response(node, unit, TapWeights{});
  return tables(stencil, {response}, {response}, {1.0, map}, samples)[0];
}

// Mirrored at both ends: the gain is even in w.
double gain_at(const std::vector<double>& gain, double w) {
  const auto last = static_cast<std::int64_t>(gain.size()) - 1;
  const double x = std::clamp(w / pi, 0.0, 1.0) * static_cast<double>(last);
  const auto i = std::min(static_cast<std::int64_t>(x), last - 1);
  const double f = x - static_cast<double>(i);
  const auto at = [&](std::int64_t j) {
    j = std::abs(j);
    return gain[static_cast<std::size_t>(j > last ? 2 * last - j : j)];
  };
  return -f * (f - 1) * (f - 2) / 6 * at(i - 1) + (f + 1) * (f - 1) * (f - 2) / 2 * at(i) -
         (f + 1) * f * (f - 2) / 2 * at(i + 1) + (f + 1) * f * (f - 1) / 6 * at(i + 2);
}

ChannelGain channel_gain(const Plan& plan, int samples) {
  TapClasses sources, receivers;
  const TapWeights weights(plan.tap_wave);
  for (int parts = 0;; parts = parts == 0 ? max_parts_of_cell : parts / 2) {
    const bool last = parts == min_parts_of_cell;
    const std::size_t most = last ? std::numeric_limits<std::size_t>::max() : max_tables;
    sources = classes_of(plan.sources, plan.grid, weights, parts, most);
    receivers = classes_of(plan.receivers, plan.grid, weights, parts, most);
    const bool whole = sources.of.size() == plan.sources.size() && receivers.of.size() == plan.receivers.size();
    if (last || (whole && sources.taps.size() * receivers.taps.size() <= max_tables)) break;
  }
  ChannelGain gain;
  gain.tables = tables(plan.stencil, sources.taps, receivers.taps, wave_number(plan), samples);
  gain.of.reserve(sources.of.size() * receivers.of.size());
  for (const std::uint32_t s : sources.of)
    for (const std::uint32_t r : receivers.of)
      gain.of.push_back(s * static_cast<std::uint32_t>(receivers.taps.size()) + r);
  return gain;
}

std::vector<double> gain_at_node(const Plan& plan, const Tap& source, int samples) {
  const TapWeights weights(plan.tap_wave);
  const auto& h = plan.grid.spacing;
  const Tap node{"", {0.5 * h[0], 0.5 * h[1], 0.5 * h[2]}, {}, {}, {}};
  return tables(plan.stencil, {TapResponse(source, plan.grid, weights)}, {TapResponse(node, plan.grid, weights)},
                wave_number(plan), samples)[0];
}

}  // namespace fdtd
