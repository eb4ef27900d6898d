// The row of a node along one axis under a stencil that is a sum over the axes (cut_cells.cpp), from all that the row
// depends on: air, masses, passages and weights within the stencil's reach.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/plan/near_wall.hpp"

namespace fdtd {

// Positions count from the node: -reach..reach.
class AxisWindow {
 public:
  static constexpr int max_reach = 31;
  explicit AxisWindow(int reach) : reach_(reach), key_(static_cast<std::size_t>(4 * reach + 4)) {}

  // Sets the values at a position. `area`: of the passage to the next position.
  void put(int i, bool air, double area, double weight, double end) {
    const std::size_t n = place(i);
    air_[n] = air;
    area_[n] = area;
    weight_[n] = weight;
    end_[n] = end;
  }
  void put_mass(double mass) { mass_ = mass; }

  int reach() const { return reach_; }
  bool air(int i) const { return air_[place(i)]; }
  double mass() const { return mass_; }
  double area(int i) const { return area_[place(i)]; }
  double weight(int i) const { return weight_[place(i)]; }
  double end(int i) const { return end_[place(i)]; }
  bool cut() const;                           // whether anything differs from free space
  std::span<const std::uint64_t> make_key();  // of all that the row depends on; the same length for every node

 private:
  std::size_t place(int i) const { return static_cast<std::size_t>(reach_ + i); }
  int reach_;
  double mass_ = 1.0;
  static constexpr std::size_t width = 2 * max_reach + 1;
  std::array<bool, width> air_{};
  std::array<double, width> area_{}, weight_{}, end_{};
  std::vector<std::uint64_t> key_;
};

class AxisRowMaker {
 public:
  // `weights`: of S, m = 1, 2, ...; `bend`: AxisBound::bend.
  AxisRowMaker(std::size_t axis, std::vector<double> weights, double bend)
      : axis_(axis), weights_(std::move(weights)), bend_(bend) {}
  // Appends the row less the plain one, which reads wall as zero and reaches through walls.
  void append_row(const AxisWindow& window, std::vector<RowEntry>& entries);

 private:
  using Passages = std::array<double, 2 * AxisWindow::max_reach>;  // (k, k + 1), k = -reach..reach - 1
  void find_fluxes(const AxisWindow& window);

  std::size_t axis_;
  std::vector<double> weights_;
  double bend_;
  Passages flux_{};
};

}  // namespace fdtd
