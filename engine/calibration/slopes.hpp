// The Jacobian of an octave's figures, known by a stated one with an uncertainty and by the runs that were made.
//
// Each row J_i is a normal variate of mean J0_i and covariance t_i^2 P0: t_i the length of the row, P0 diagonal. A run k in
// which x differs by s from the best run and the figure by y is an observation y = J_i s, uncertain by the curvature that s
// meets, of order t_i |s|^2, and by t_i r: in small rooms, where single modes decide, figures are not smooth, and
// the octave's neighbours have their part in them. The roughness r, and a factor of P0, are the likeliest given the runs.
// Mean and covariance given all runs follow in closed form; without uncertainty of the observations the mean is Broyden's least change that meets all secants at once
// (D. M. Gay, R. B. Schnabel, Solving systems of nonlinear equations by Broyden's method with projected updates, 1978), and
// the covariance says which directions no run has probed.
#pragma once

#include <cstddef>
#include <vector>

namespace fdtd {

struct Secant {
  std::vector<double> step;    // of x, by unknown
  std::vector<double> change;  // by figure; NaN where there is none
};

class UncertainSlopes {
 public:
  // `stated`: d f_i / d x_j at [i * unknowns + j].
  UncertainSlopes(std::vector<double> stated, std::size_t unknowns);

  // Given these secants, in place of all former ones.
  void observe(const std::vector<Secant>& secants);
  // The statement for another model that differs a little, such as a finer grid: that which is known now.
  UncertainSlopes carried() const;

  const std::vector<double>& mean() const { return mean_; }
  // Covariance of entries j and k of row i: its scale squared times this at [j * unknowns + k].
  const std::vector<double>& covariance() const { return covariance_; }
  double scale(std::size_t figure) const { return scale_[figure]; }
  // The direction of x whose effect is the least known, of length 1, and the part of its first variance that is left.
  struct LeastKnown {
    std::vector<double> direction;
    double left = 1.0;
  };
  LeastKnown least_known() const;

  // How far figures lie from straight lines, in scales.
  double roughness() const { return roughness_; }

 private:
  struct Row;
  Row row_of(const std::vector<Secant>& secants, std::size_t figure) const;
  struct Noise {
    double roughness = 0.0, doubt = 1.0;
  };
  double log_likelihood(const std::vector<Secant>& secants, const Noise& noise) const;
  Noise noise_of(const std::vector<Secant>& secants) const;

  std::size_t unknowns_;
  double roughness_ = 0.0;
  std::vector<double> stated_, mean_, scale_;
  std::vector<double> stated_covariance_, covariance_;
  std::vector<double> first_;  // standard deviations of the entries, in scales, before any run
};

}  // namespace fdtd
