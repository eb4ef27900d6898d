#include "engine/transducers/near_field.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "base/parallel_failure.hpp"
#include "engine/transducers/channel_filter.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/near_lattice.hpp"
#include "engine/transducers/near_nodes.hpp"
#include "engine/transducers/tap_weights.hpp"

namespace fdtd {
namespace {

double cells_between(const Tap& a, const Tap& b, const Grid& grid) {
  double square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) square += std::pow((a.position[d] - b.position[d]) / grid.spacing[d], 2);
  return std::sqrt(square);
}

struct Field {
  NearField field{};
  bool mirrors = true;  // walls beside the pair are mirrors to both
};

// A source, and the receivers at one place.
struct NearPlace {
  std::size_t source = 0;
  std::vector<std::size_t> channels;
  Mirrors mirrors;
  bool clear = true;  // its nodes see nothing but air and mirrors
};

// cells: omnidirectional pairs that are not farther have their near field computed. The nearest count where there are
// many, each of which takes some 20 ms.
double pressure_reach(const Plan& plan) {
  std::vector<double> apart;
  for (const Tap& source : plan.sources)
    for (const Tap& receiver : plan.receivers)
      if (source.operation.empty() && receiver.operation.empty())
        if (const double cells = cells_between(source, receiver, plan.grid); cells > 0.0 && cells < near_pressure_cells)
          apart.push_back(cells);
  if (apart.size() <= max_near_pressures) return near_pressure_cells;
  const auto last = apart.begin() + static_cast<std::ptrdiff_t>(max_near_pressures);
  std::nth_element(apart.begin(), last, apart.end());
  return *last;
}

std::vector<NearPlace> near_places(const Plan& plan) {
  const double reach = pressure_reach(plan);
  const Grid& grid = plan.grid;
  std::vector<NearPlace> near;
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::size_t r = 0; r < plan.receivers.size(); ++r) {
      const Tap &source = plan.sources[s], &receiver = plan.receivers[r];
      if (read_by_ball(source.operation) || read_by_ball(receiver.operation)) continue;  // balls are low-passes
      const bool pressure = source.operation.empty() && receiver.operation.empty();
      const double cells = cells_between(source, receiver, grid);
      if (!(cells > 0.0 && cells < (pressure ? reach : near_field_cells))) continue;
      if (near.empty() || near.back().source != s ||
          plan.receivers[near.back().channels.front()].position != receiver.position)
        near.push_back({s, {}, {}, true});
      near.back().channels.push_back(r);
    }
  return near;
}

// The terms of one place's channels, in their order.
std::vector<NearField> terms_of(const Plan& plan, const NearPlace& place, const NearLattice& lattice,
                                const TapWeights& weights) {
  const Grid& grid = plan.grid;
  const Tap& source = plan.sources[place.source];
  const Tap& first = plan.receivers[place.channels.front()];
  const Voxel zero = home_of(first, grid);
  const auto nodes = [&](const Tap& tap) {
    return place.clear ? nodes_of(tap, grid, zero) : free_nodes(tap, grid, weights, zero);
  };
  std::vector<Nodes> reads;
  std::array<int, 3> low{}, size{};
  for (const std::size_t r : place.channels) {
    for (const auto& at : reads.emplace_back(nodes(plan.receivers[r])).at)
      for (std::size_t d = 0; d < 3; ++d) {
        const int end = std::max(low[d] + size[d], at[d] + 1);
        low[d] = std::min(low[d], at[d]);
        size[d] = end - low[d];
      }
  }
  const StaticFields fields = lattice.of_nodes(with_images(nodes(source), zero, place.mirrors.images), low, size);
  std::vector<std::pair<double, NearLattice::Points>> points;
  for (const Derivative& sent : derivatives_of(source.operation))
    points.emplace_back(sent.coefficient,
                        NearLattice::Points(lattice, source, sent.powers, first.position, place.mirrors.images));
  std::vector<NearField> found;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    NearField& sum = found.emplace_back();
    for (std::size_t n = 0; n < reads[i].at.size(); ++n)
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += reads[i].weights[n] * fields[reads[i].at[n]][j];
    for (const Derivative& read : derivatives_of(plan.receivers[place.channels[i]].operation))
      for (const auto& [coefficient, point] : points) {
        const StaticTerms wanted = point(read.powers);
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] -= read.coefficient * coefficient * wanted[j];
      }
  }
  return found;
}

// By channel of pairs that are near; empty where none is.
std::vector<std::optional<Field>> fields_of(const Plan& plan) {
  if (std::ranges::any_of(plan.grid.size, [](int n) { return n == 1; })) return {};
  std::vector<NearPlace> near = near_places(plan);
  if (near.empty()) return {};
  const TapWeights weights(plan.tap_wave);
  const std::array<WallLayer, 3> layers = wall_layers(plan, weights.waves());
  int depth = 0;
  for (const WallLayer& layer : layers) depth = std::max(depth, layer.depth());
  std::vector<std::optional<Field>> found(plan.sources.size() * plan.receivers.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < near.size(); ++i)
    failure.guard([&] {
      NearPlace& place = near[i];
      const Tap& source = plan.sources[place.source];
      place.mirrors =
          mirrors_of(plan, source, plan.receivers[place.channels.front()], static_cast<int>(near_field_cells), depth);
      const auto sees = [&](const Tap& tap) { return sees_mirrors(plan, tap, weights, layers, place.mirrors); };
      place.clear =
          sees(source) && std::ranges::all_of(place.channels, [&](std::size_t r) { return sees(plan.receivers[r]); });
    });
  failure.rethrow();
  std::map<std::array<int, 3>, std::optional<NearLattice>> lattices;
  for (const NearPlace& place : near)
    if (auto& lattice = lattices[place.mirrors.period]; !lattice) lattice.emplace(plan, place.mirrors.period);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < near.size(); ++i)
    failure.guard([&] {
      const NearPlace& place = near[i];
      const std::vector<NearField> terms = terms_of(plan, place, *lattices.at(place.mirrors.period), weights);
      for (std::size_t c = 0; c < terms.size(); ++c)
        found[place.source * plan.receivers.size() + place.channels[c]] = {terms[c], place.clear};
    });
  failure.rethrow();
  return found;
}

}  // namespace

std::vector<NearField> near_field(const Plan& plan) {
  std::vector<NearField> fields;
  for (const std::optional<Field>& one : fields_of(plan))
    fields.push_back(one && one->mirrors ? one->field : NearField{});
  return fields;
}

namespace {

constexpr double doubtful_fraction = 0.1;

// Of a channel whose near field is not subtracted, relative to a point source's field of its order.
struct Doubt {
  int order = 0;
  double distance = 0.0;  // m
  double strength = 0.0;  // at k = 0 the fraction is strength / (1 3 5 ... (2n - 1)), else strength / |B_n(ikr)|
  double fraction(double kr) const { return strength * std::abs(radial_integration(order, kr)); }
  // The least k r at which the fraction is small.
  double corner() const {
    double low = 0.0, high = 1.0;
    if (fraction(0.0) < doubtful_fraction) return 0.0;
    while (fraction(high) > doubtful_fraction) high *= 2.0;
    for (int i = 0; i < 40; ++i) (fraction(0.5 * (low + high)) > doubtful_fraction ? low : high) = 0.5 * (low + high);
    return high;
  }
};

Doubt doubt_of(const Plan& plan, std::size_t channel, const Field& field) {
  const Tap &source = plan.sources[channel / plan.receivers.size()],
            &receiver = plan.receivers[channel % plan.receivers.size()];
  Doubt doubt;
  doubt.order = degree(source.operation) + degree(receiver.operation);
  doubt.distance = std::hypot(source.position[0] - receiver.position[0], source.position[1] - receiver.position[1],
                              source.position[2] - receiver.position[2]);
  doubt.strength = std::abs(field.field[0]) * std::pow(doubt.distance, doubt.order + 1);
  return doubt;
}

double corner_of(const Plan& plan, const Doubt& doubt) {
  return doubt.corner() / doubt.distance * plan.grid.sound_speed / (2.0 * std::numbers::pi);
}

}  // namespace

std::vector<double> near_corners(const Plan& plan) {
  const std::vector<std::optional<Field>> fields = fields_of(plan);
  std::vector<double> corners(fields.size(), 0.0);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i] || fields[i]->mirrors) continue;
    const Doubt doubt = doubt_of(plan, i, *fields[i]);
    if (doubt.order >= 1) corners[i] = corner_of(plan, doubt);
  }
  if (std::ranges::all_of(corners, [](double corner) { return corner == 0.0; })) corners.clear();
  return corners;
}

std::vector<NearDoubt> near_field_doubts(const Plan& plan) {
  constexpr double distance_of_filter = 2.0;
  const std::vector<std::optional<Field>> fields = fields_of(plan);
  std::vector<NearDoubt> doubts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i] || fields[i]->mirrors) continue;
    const Doubt doubt = doubt_of(plan, i, *fields[i]);
    // At the wave number at which the radial filter begins.
    const double error = doubt.fraction(doubt.distance / distance_of_filter);
    if (doubt.order < 1 || error < doubtful_fraction) continue;
    const std::size_t s = i / plan.receivers.size(), r = i % plan.receivers.size();
    const bool known = !doubts.empty() && doubts.back().source == s &&
                       plan.receivers[doubts.back().receiver].position == plan.receivers[r].position;
    if (!known) doubts.push_back({s, r, doubt.order, doubt.order, 0.0, error, doubt.distance});
    NearDoubt& pair = doubts.back();
    pair.order = std::min(pair.order, doubt.order);
    if (doubt.order > pair.highest) pair.corner = 0.0;
    pair.highest = std::max(pair.highest, doubt.order);
    if (doubt.order == pair.highest) pair.corner = std::max(pair.corner, corner_of(plan, doubt));
    pair.error = std::max(pair.error, error);
  }
  return doubts;
}

std::vector<NearPressure> near_pressures(const Plan& plan, double distance) {
  std::vector<NearPressure> pairs;
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::size_t r = 0; r < plan.receivers.size(); ++r) {
      const Tap &a = plan.sources[s], &b = plan.receivers[r];
      if (!a.operation.empty() || !b.operation.empty()) continue;
      const double apart =
          std::hypot(a.position[0] - b.position[0], a.position[1] - b.position[1], a.position[2] - b.position[2]);
      if (apart <= distance) pairs.push_back({s, r, apart, {}});
    }
  if (pairs.empty()) return pairs;
  const std::vector<std::optional<Field>> fields = fields_of(plan);
  for (NearPressure& pair : pairs) {
    const std::size_t i = pair.source * plan.receivers.size() + pair.receiver;
    const bool computed = i < fields.size() && fields[i];
    if (computed && !fields[i]->mirrors) pair.left = fields[i]->field;
    const double cells = cells_between(plan.sources[pair.source], plan.receivers[pair.receiver], plan.grid);
    pair.known = computed || cells >= near_pressure_cells;
  }
  return pairs;
}

}  // namespace fdtd
