// The relation between the frequency of the grid and that of sound, which rendering undoes.
//
// A wave of the grid has a wave vector k, and the grid frequency w (radians a step) that the symbol gives it,
// 4 sin^2(w/2) = K(k). Sound of the same wavelength has the true frequency x = omega T = lambda |k|. Where K depends on
// |k| alone, w follows from x, and the response at x is the record's spectrum at w(x): the dispersion that is the same
// in all directions is undone exactly. The difference between directions remains.
//   none:   w = x                                  the grid's frequency is read as it is;
//   time:   2 sin(w/2) = x                         weights exact in space: the error of the time difference alone;
//   radial: 4 sin^2(w/2) = lambda^2 G(x / lambda)  weights designed for a symbol that is a function of |k|, G.
// The second: M. Wang, S. Xu, "Finite-difference time dispersion transforms for wave propagation", Geophysics 80
// (2015). The third: L. Savioja, V. Valimaki, "Interpolated rectangular 3-D digital waveguide mesh algorithms with
// frequency warping", IEEE Trans. Speech Audio Process. 11 (2003).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fdtd {

struct Stencil;

// K / lambda^2 as a function of kappa = |k|, radians a cell: the mean of the symbol over all directions plus four
// powers of kappa^2,
//   G(kappa) = sum over shells of n_q gamma_q (1 - sin(kappa |q|) / (kappa |q|)) - sum_{m=1..4} a_m y^{m+1},
// y = (kappa / edge)^2, every weight divided by lambda^2: G = kappa^2 + O(kappa^4). From `edge` on, where the design
// ends, G continues as its tangent.
class RadialSymbol {
 public:
  struct Shell {
    double radius = 0.0;  // |q|, cells
    double weight = 0.0;  // n_q gamma_q / lambda^2
    bool operator==(const Shell&) const = default;
  };
  // Throws std::invalid_argument unless all is finite, edge in (0, 2 pi], and G ascends from 0 to the edge.
  RadialSymbol(std::vector<Shell> shells, std::array<double, 4> correction, double edge);

  double value(double kappa) const;
  double slope(double kappa) const;
  double inverse(double value) const;  // kappa >= 0 of G(kappa) = value >= 0
  double coefficient(int j) const;     // of kappa^(2j) in the Taylor series
  double edge() const { return edge_; }
  const std::vector<Shell>& shells() const { return shells_; }
  const std::array<double, 4>& correction() const { return correction_; }

 private:
  struct Point {
    double value = 0.0, slope = 0.0;
  };
  Point within(double kappa) const;

  std::vector<Shell> shells_;
  std::array<double, 4> correction_{};  // a_m / lambda^2
  double edge_ = 0.0;
  Point at_edge_;
  std::vector<double> table_;  // G at equal steps of kappa from 0 to the edge
};

class FrequencyMap {
 public:
  enum class Kind { none, time, radial };

  FrequencyMap() = default;  // none
  static FrequencyMap time();
  static FrequencyMap radial(double courant, std::shared_ptr<const RadialSymbol> symbol);

  Kind kind() const { return kind_; }
  bool undoes() const { return kind_ != Kind::none; }  // does rendering undo anything?

  // x: true frequency, omega T; w: the grid's, 0..pi. All ascend.
  double grid(double x) const;                         // w; pi from `limit` on
  double truth(double w) const;                        // x
  double chord_squared(double x) const;                // 4 sin^2(w/2)
  double truth_at_chord_squared(double square) const;  // x, 0 <= square <= 4
  // dw/dx: how much later sound arrives in true time than in the record's, as d omega T / d w is its group delay.
  double slope(double x) const;
  double largest_slope(double x) const;  // from 0 to x
  double limit() const;                  // x of w = pi

  // All that defines a map of kind `radial`, for files; nothing else has numbers.
  std::vector<double> numbers() const;
  static std::optional<FrequencyMap> from_numbers(std::span<const double> numbers);

  bool operator==(const FrequencyMap& other) const { return kind_ == other.kind_ && numbers() == other.numbers(); }

 private:
  Kind kind_ = Kind::none;
  double courant_ = 0.0;
  std::shared_ptr<const RadialSymbol> symbol_;
};

// The map that a stencil's weights are designed for.
FrequencyMap frequency_map(const Stencil& stencil);

}  // namespace fdtd
