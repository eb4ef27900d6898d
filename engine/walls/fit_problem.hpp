// The least squares problem of fitting a wall's branches to the waves that meet it (grid_fit.hpp).
#pragma once

#include <Eigen/Dense>

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "base/math/latest_two.hpp"
#include "base/math/least_squares.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Of the reflection coefficient against absorption; by hand, as those of grid_fit.cpp.
inline constexpr double phase_weight = 0.3;
// A branch coefficient in steps lies within exp(-log_bound) and exp(log_bound).
inline constexpr double log_bound = 16.0;

// A wave at a wall of a material.
struct Aim {
  std::complex<double> s;  // 2 i tan(w/2)
  std::complex<double> load;
  std::complex<double> reflection;  // theory's
  std::complex<double> admittance;  // theory's, too
  double absorption = 0.0;
  bool grazing = false;
  double weight = 0.0;
};

// Whether the admittance must fall with frequency, as with a radial map: by causality its phase lags then, unless the
// fit is made to see it. Other laws have little lag, and are fitted to absorption and reflection alone.
bool lags(const std::vector<WallWave>& waves);

std::vector<Aim> aims_of(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves);

// Of a wall of impedance z: ln(absorbed / theory).
double log_ratio(const Aim& aim, std::complex<double> z);
// The phase by which the admittance that a wave at grazing incidence meets lags behind theory's, weighted.
double weighted_lag(const Aim& aim, std::complex<double> z);

// x: logarithms of D, E, F of each branch, then of the inertance. Three residuals a wave, four at grazing incidence.
class FitProblem {
 public:
  // Branches of a quality factor above `max_sharpness` are held back. `aims` must outlive this.
  FitProblem(const std::vector<Aim>& aims, double max_sharpness);

  // Of so many parameters.
  Eigen::Index residuals(Eigen::Index parameters) const;
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const;

  LeastSquaresResult solve(const Eigen::VectorXd& start, int iterations) const;

  // The measure of a fit: the largest weighted |ln(absorbed / theory)|, and the root mean square of the phase.
  double error(const Eigen::VectorXd& x) const;

  // Weights grow where the error is large.
  void reweight(const Eigen::VectorXd& x);

 private:
  // Of the aims, each a number a wave.
  struct Waves {
    std::vector<double> w, load_real, load_imag, reflection_real, reflection_imag, absorption, scale;
  };
  // How far walls are off, a number a wave; of the branches' admittances, [branch][wave].
  struct Misses {
    Eigen::VectorXd values;  // exp of x
    std::vector<double> conductance, susceptance;
    std::vector<double> z_real, z_imag;                               // of the wall
    std::vector<double> log_ratio, reflection_real, reflection_imag;  // reflection: of the wall less theory's
    std::vector<double> lag;                                          // weighted; of the waves of `grazing_`
  };

  const Misses& at(const Eigen::VectorXd& x) const;
  // Of the residuals of all waves.
  void slopes(const Misses& of, Eigen::MatrixXd& jacobian) const;
  // The residuals from `first` on: of branches that are too sharp.
  void add_sharpness(const Eigen::VectorXd& x, Eigen::Index first, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const;

  const std::vector<Aim>& aims_;
  std::vector<double> weights_;
  Waves waves_;
  std::vector<std::size_t> grazing_;  // waves at grazing incidence
  double log_sharpness_;
  mutable LatestTwo<Misses> latest_;
};

}  // namespace fdtd
