#include "scenes/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/math/field_weights.hpp"
#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double full_turn = 360.0;  // degrees

Point between(const Point& a, const Point& b, double fraction) {
  return {std::lerp(a[0], b[0], fraction), std::lerp(a[1], b[1], fraction), std::lerp(a[2], b[2], fraction)};
}

// Points along the path at most `step` apart, rows and the middles between points included.
std::vector<Point> points_along(const Path& path, double step) {
  const std::vector<PathRow>& rows = path.rows();
  std::vector<Point> points{rows.front().position};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double length = norm(minus(rows[i].position, rows[i - 1].position));
    const auto parts = static_cast<std::int64_t>(std::ceil(length / step));
    for (std::int64_t part = 1; part <= parts; ++part)
      points.push_back(
          between(rows[i - 1].position, rows[i].position, static_cast<double>(part) / static_cast<double>(parts)));
  }
  return points;
}

double spacing_of(double wave_number) {
  return 2.0 * std::numbers::pi / (wave_number * FieldWeights::places_a_wavelength);
}

}  // namespace

std::size_t Path::row_before(double time) const {
  const auto after = std::ranges::upper_bound(rows_, time, {}, &PathRow::time);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - rows_.begin(), 1) - 1);
}

Point Path::position(double time) const {
  const std::size_t i = row_before(time);
  if (time <= rows_[i].time || i + 1 == rows_.size()) return rows_[i].position;
  return between(rows_[i].position, rows_[i + 1].position,
                 (time - rows_[i].time) / (rows_[i + 1].time - rows_[i].time));
}

double Path::yaw(double time) const {
  const std::size_t i = row_before(time);
  if (time <= rows_[i].time || i + 1 == rows_.size()) return rows_[i].yaw;
  const double turn = std::remainder(rows_[i + 1].yaw - rows_[i].yaw, full_turn);
  return rows_[i].yaw + turn * (time - rows_[i].time) / (rows_[i + 1].time - rows_[i].time);
}

double Path::length() const {
  double sum = 0.0;
  for (std::size_t i = 1; i < rows_.size(); ++i) sum += norm(minus(rows_[i].position, rows_[i - 1].position));
  return sum;
}

Path::Fastest Path::fastest() const {
  Fastest found;
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    const double speed = norm(minus(rows_[i].position, rows_[i - 1].position)) / (rows_[i].time - rows_[i - 1].time);
    if (speed > found.speed) found = {i, speed};
  }
  return found;
}

bool Path::turns() const {
  return std::ranges::any_of(rows_, [](const PathRow& row) { return std::remainder(row.yaw, full_turn) != 0.0; });
}

double largest_wave_number(double bandwidth, double output_rate, double sound_speed) {
  const double half_rate = 0.5 * output_rate;
  const double highest = bandwidth > 0.0 ? std::min(passed_over_bandwidth * bandwidth, half_rate) : half_rate;
  return 2.0 * std::numbers::pi * highest / sound_speed;
}

double places_needed(const Path& path, double wave_number) { return 1.0 + path.length() / spacing_of(wave_number); }

std::vector<Point> places_along(const Path& path, double wave_number) {
  const double spacing = spacing_of(wave_number);
  constexpr double as_one = 0.3;        // spacings: a place so near to another adds nothing away from ends
  constexpr double probes = 4.0;        // a spacing
  constexpr double closest = 1.0 / 32;  // spacings
  FieldWeights field({}, wave_number);
  const auto apart = [&](const Point& from, double distance) {
    return std::ranges::none_of(field.places(),
                                [&](const Point& one) { return norm(minus(one, from)) < distance * spacing; });
  };
  for (const Point& one : points_along(path, spacing))
    if (apart(one, as_one)) field.add(one);
  // Closer where ends and corners leave more than the tolerated error: halfway, until none does.
  for (double step = 1.0 / probes; step >= closest; step /= 2.0) {
    std::vector<Point> more;
    for (const Point& one : points_along(path, step * spacing))
      if (field.error(one) > FieldWeights::tolerated_error) more.push_back(one);
    for (const Point& one : more)
      if (apart(one, step) && field.error(one) > FieldWeights::tolerated_error) field.add(one);
  }
  return field.places();
}

}  // namespace fdtd
