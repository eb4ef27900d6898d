// The path of a receiver or a source that moves: straight from row to row, at rest before the first and after the last.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/point.hpp"
#include "base/problem.hpp"

namespace fdtd {

struct PathRow {
  double time = 0.0;  // s
  Point position{};   // m
  double yaw = 0.0;   // degrees, to the left as seen from above; 0 looks along x
  int line = 0;       // of its file
};

// Rows in the order of time, one at least.
class Path {
 public:
  Path() = default;
  explicit Path(std::vector<PathRow> rows) : rows_(std::move(rows)) {}
  const std::vector<PathRow>& rows() const { return rows_; }
  Point position(double time) const;
  // The shorter way round from row to row.
  double yaw(double time) const;
  double length() const;  // m
  // The row that ends the fastest of its parts, and its speed in m/s; row 0: it rests.
  struct Fastest {
    std::size_t row = 0;
    double speed = 0.0;
  };
  Fastest fastest() const;
  bool turns() const;  // its yaw is not 0 everywhere

 private:
  std::size_t row_before(double time) const;
  std::vector<PathRow> rows_;
};

// Places along a path, close enough for the field on all of it by FieldWeights up to `wave_number` (rad/m): 3.6 a
// wavelength, closer at ends and corners, and none twice where it comes back; one for a path at rest.
std::vector<Point> places_along(const Path& path, double wave_number);
// Their number but for ends and corners, before any is made.
double places_needed(const Path& path, double wave_number);

// Rendered responses hold nothing from this times their bandwidth on.
inline constexpr double passed_over_bandwidth = 1.2;
// rad/m: the largest wave number of responses of a bandwidth in Hz at an output rate.
double largest_wave_number(double bandwidth, double output_rate, double sound_speed);

// A receiver that moves: its places are receivers of the scene.
struct MovingReceiver {
  std::string name;
  Path path;
  std::size_t first = 0, count = 0;  // of Scene::receivers
  TextPlace place;
  double wave_number = 0.0;  // rad/m, for which its places are chosen
};

}  // namespace fdtd
