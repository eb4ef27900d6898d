// The grid as a torus, without walls: the fields of nodes on it, and of points, that grow from the static one.
#pragma once

#include <array>
#include <complex>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/transducers/near_nodes.hpp"

namespace fdtd {

// Terms of order Q^0 and Q^1 in Q = 4 sin^2(w/2).
using StaticTerms = std::array<double, 2>;

// Terms on the nodes low, low + 1, ..., low + size - 1 by axis; x first.
struct StaticFields {
  std::array<int, 3> low{}, size{};
  std::vector<StaticTerms> values;
  const StaticTerms& operator[](const std::array<int, 3>& at) const {
    const auto part = [&](std::size_t d) { return static_cast<std::size_t>(at[d] - low[d]); };
    return values[(part(2) * static_cast<std::size_t>(size[1]) + part(1)) * static_cast<std::size_t>(size[0]) +
                  part(0)];
  }
};

class NearLattice {
 public:
  static constexpr int highest_power = 3;  // of a derivative, of the source or of the receiver

  // `period`: cells of the torus by axis, even, 4 or more. The wave number 0 has no part in any field.
  NearLattice(const Plan& plan, const std::array<int, 3>& period);

  // (2 pi)^-3 A times the integral of conj W(k) e^{ikx} / K^(j+1) over the zone, by the trapezoidal
  // rule.
  StaticFields of_nodes(const Nodes& sent, const std::array<int, 3>& low, const std::array<int, 3>& size) const;

  // The exact value for a receiver that is a point: with D the product of the derivative `powers` of the receiver and
  // `sent` of the source, its images included, the field of a point source in the same powers of Q.
  class Points {
   public:
    Points(const NearLattice& lattice, const Tap& source, const std::array<int, 3>& sent,
           const std::array<double, 3>& receiver, const Images& images);
    StaticTerms operator()(const std::array<int, 3>& powers) const;

   private:
    // By axis a source and its images, of which an odd derivative has the other sign: apart from the receiver (m), sign.
    using Places = std::vector<std::pair<double, double>>;
    void add_waves(const NearLattice& lattice, const std::array<int, 3>& sent, const std::array<Places, 3>& places);
    void add_outside(const NearLattice& lattice, const std::array<int, 3>& sent, std::array<Places, 3> places);
    static std::size_t at(int x, int y, int z) {
      constexpr int count = highest_power + 1;
      return static_cast<std::size_t>((x * count + y) * count + z);
    }
    std::vector<StaticTerms> terms_;  // by powers
  };

 private:
  struct Phases;
  Phases phases_of(const Nodes& sent, const std::array<int, 3>& low, const std::array<int, 3>& size) const;
  void fields_of_wave(const Phases& on, std::size_t kx,
                      std::array<std::vector<std::complex<double>>, 2>& along_y) const;

  std::array<int, 3> period_{}, half_{};        // half: wave numbers 0, 1, ..., period / 2
  std::array<double, 3> spacing_{};             // m
  double scale_ = 0.0, b_ = 0.0, alpha_ = 0.0;  // as in docs/explanation/impulse-responses.md, section 7
  double step_ = 0.0, sigma_ = 0.0;             // c T and sigma, m
  std::vector<double> inverse_;                 // 1/K, by octant; 0 at k = 0
  std::vector<StaticTerms> smooth_;             // R S_j, by octant; 0 at k = 0
};

}  // namespace fdtd
