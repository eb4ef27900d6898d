#include "base/math/field_weights.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <utility>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double regularisation = 1e-10;  // relative power of errors at the places, far below the tolerated one
constexpr double same_place = 1e-9;       // m
constexpr double reach_in_spacings = 8.0;
constexpr int directions_of_waves = 62;
constexpr auto most = static_cast<int>(FieldWeights::most_places);
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
using Cell = std::array<std::int64_t, 3>;

double correlation(double x) {
  if (x < 0.05) return 1.0 - x * x / 10.0 + x * x * x * x / 280.0;
  return 3.0 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

// Evenly spread over the sphere by the golden angle.
Point wave_direction(int i) {
  const double z = 1.0 - (2.0 * i + 1.0) / directions_of_waves, radius = std::sqrt(1.0 - z * z);
  const double angle = i * pi * (3.0 - std::sqrt(5.0));
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace

struct FieldWeights::State {
  std::vector<Point> places;
  double wave_number = 0.0, reach = 0.0;
  std::map<Cell, std::vector<std::uint32_t>> cells;  // of the size of the reach
  // The point before leaves the places of its cell's neighbourhood and the factors of its own places.
  Cell cell{};
  bool gathered = false;
  std::vector<std::uint32_t> near, chosen;
  std::vector<std::pair<double, std::uint32_t>> by_distance;
  Eigen::LLT<Matrix> factors;
  std::vector<PlaceWeight> weights;
  Point at{};
  bool known = false;  // `weights` are those of `at`

  Cell cell_of(const Point& p) const {
    Cell one{};
    for (std::size_t d = 0; d < 3; ++d) one[d] = static_cast<std::int64_t>(std::floor(p[d] / reach));
    return one;
  }

  void gather(const Cell& middle) {
    near.clear();
    for (std::int64_t i = -1; i <= 1; ++i)
      for (std::int64_t j = -1; j <= 1; ++j)
        for (std::int64_t k = -1; k <= 1; ++k) {
          const auto found = cells.find({middle[0] + i, middle[1] + j, middle[2] + k});
          if (found != cells.end()) near.insert(near.end(), found->second.begin(), found->second.end());
        }
    cell = middle;
    gathered = true;
  }

  void factorise() {
    const auto count = static_cast<Eigen::Index>(chosen.size());
    Matrix correlations(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) {
        const Point between =
            minus(places[chosen[static_cast<std::size_t>(i)]], places[chosen[static_cast<std::size_t>(j)]]);
        correlations(i, j) = correlations(j, i) =
            correlation(wave_number * norm(between)) + (i == j ? regularisation : 0.0);
      }
    factors.compute(correlations);
  }

  void solve() {
    weights.clear();
    if (const Cell middle = cell_of(at); !gathered || middle != cell) gather(middle);
    by_distance.clear();
    for (const std::uint32_t place : near)
      if (const double r = norm(minus(places[place], at)); r <= reach) by_distance.emplace_back(r, place);
    const std::size_t count = std::min(most_places, by_distance.size());
    if (count == 0) return;
    std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
    if (by_distance.front().first <= same_place) {
      weights.push_back({by_distance.front().second, 1.0});
      return;
    }
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.push_back(by_distance[i].second);
    std::ranges::sort(wanted);
    if (wanted != chosen) {
      chosen = std::move(wanted);
      factorise();
    }
    Vector side(static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i)
      side(static_cast<Eigen::Index>(i)) = correlation(wave_number * norm(minus(places[chosen[i]], at)));
    const Vector solved = factors.solve(side);
    for (std::size_t i = 0; i < count; ++i) weights.push_back({chosen[i], solved(static_cast<Eigen::Index>(i))});
  }
};

FieldWeights::FieldWeights(std::vector<Point> places, double wave_number) : state_(std::make_unique<State>()) {
  state_->wave_number = wave_number;
  state_->reach = reach_in_spacings * 2.0 * pi / (wave_number * places_a_wavelength);
  for (const Point& place : places) add(place);
}
FieldWeights::~FieldWeights() = default;
FieldWeights::FieldWeights(FieldWeights&&) noexcept = default;

const std::vector<Point>& FieldWeights::places() const { return state_->places; }

void FieldWeights::add(const Point& place) {
  state_->cells[state_->cell_of(place)].push_back(static_cast<std::uint32_t>(state_->places.size()));
  state_->places.push_back(place);
  state_->gathered = state_->known = false;
}

const std::vector<PlaceWeight>& FieldWeights::weights(const Point& at) {
  if (state_->known && state_->at == at) return state_->weights;
  state_->at = at;
  state_->solve();
  state_->known = true;
  return state_->weights;
}

double FieldWeights::error(const Point& at) {
  const std::vector<PlaceWeight>& found = weights(at);
  double largest = 0.0;
  for (int i = 0; i < directions_of_waves; ++i) {
    const Point direction = wave_direction(i);
    std::complex<double> deviation = 1.0;
    for (const PlaceWeight& one : found)
      deviation -=
          one.weight * std::polar(1.0, state_->wave_number * dot(direction, minus(state_->places[one.place], at)));
    largest = std::max(largest, std::abs(deviation));
  }
  return largest;
}

}  // namespace fdtd
