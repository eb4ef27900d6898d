// Sources and receivers of a planned room at other places: their weights on the grid, and how these change with a place.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/adjoint/adjoint_plan.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/transducers/tap_weights.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// A source or receiver that moves.
struct MovingPoint {
  std::string name;
  bool source = false;               // else a receiver
  std::size_t tap = 0;               // of the plan
  std::array<double, 3> position{};  // m, in the scene
};

class MovingPoints {
 public:
  MovingPoints() = default;  // none
  // `names`: of omnidirectional sources and receivers. Throws Error (status scene) for others, and for a name that a
  // source and a receiver share. Voxelises a mesh.
  MovingPoints(const Scene& scene, const PlanResult& planned, const std::vector<std::string>& names);

  const std::vector<MovingPoint>& points() const { return points_; }
  std::size_t coordinates() const { return 3 * points_.size(); }
  std::vector<double> begin() const;  // x, y, z of each point, m, in the scene

  // The same plan with the points at other coordinates. Throws Error (status scene) for places that are in no air voxel.
  void move(Plan& plan, std::span<const double> coordinates) const;
  // The changes of the weights by metre of each coordinate, of sources and of receivers, each in the order of the points.
  struct Changes {
    std::vector<TapChange> sources, receivers;
  };
  Changes changes(const Plan& plan, std::span<const double> coordinates) const;
  // Of a difference along an axis: places at `middle` - `half` and `middle` + `half` from a coordinate, m. They are a small
  // part of a spacing from it on either side; at a wall, on the side of the air alone.
  struct Difference {
    double middle = 0.0, half = 0.0;
  };
  Difference difference(const Plan& plan, std::span<const double> coordinates, std::size_t coordinate) const;

 private:
  std::array<double, 3> on_grid(std::span<const double> coordinates, std::size_t point) const;
  Tap tap_at(const Plan& plan, const MovingPoint& point, const std::array<double, 3>& on_grid) const;

  std::vector<MovingPoint> points_;
  std::array<double, 3> offset_{};  // from the scene to the grid, m
  TapWeights weights_;
  CutVoxels cut_;
};

}  // namespace fdtd
