// The absorption of one octave from figures of merit: Bayesian least squares with a model that is known by its runs.
//
// Unknowns x are logarithms of absorption exponents, ln(-ln(1 - alpha)): reverberation times are inversely proportional to
// the exponents (Eyring), so that logarithms of times are almost linear in x, and alpha stays between 0 and 1 by itself.
// Minimised is
//   sum_i ((f_i(x) - d_i) / s_i)^2 / k + (x - p)^T Q^-1 (x - p),   lower <= x <= upper,   Q_jl = q_j^2 delta_jl + c^2,
// f the figures of the model, d those measured with standard deviations s, p the prior: each unknown may differ from it by
// q_j, and all of them by the same amount, of deviation c, since tables and rooms differ most in what all materials have in
// common: the mounting, low modes in place of a diffuse field, furniture that is not drawn. k is 1, or the mean square of
// the weighted differences that the best x leaves, where that is more: what the model cannot explain counts as
// uncertainty (R. T. Birge, The calculation of errors by the method of least squares, Phys. Rev. 40, 1932).
//
// Gauss-Newton from the best run so far (A. Tarantola, Inverse problem theory, SIAM 2005, section 3.2.3), with a Jacobian
// that is stated first and corrected by all runs (slopes.hpp), within a reach that shrinks after runs that were worse than
// the best. Where unknowns are few, the second step and those after it lead aside as well, in the direction whose effect is
// the least known, until each has been probed: steps of Gauss-Newton alone lead in the direction that the figures show best,
// which is often the sum of all absorption, and would never see its shares. Directions that no run has probed keep the
// prior's uncertainty, as far as the uncertainty of the Jacobian may account for all that it says of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/calibration/slopes.hpp"

namespace fdtd {

struct OctaveData {
  std::vector<double> prior, spread;        // by unknown: of x, and its standard deviation, above 0
  std::vector<double> lower, upper;         // by unknown
  std::vector<double> measured, deviation;  // by figure: in units of what is noticeable, and its deviation
  double common = 0.0;                      // standard deviation of a change that all unknowns have in common
};

// The uncertainty of x when all runs are done.
struct OctavePosterior {
  std::vector<double> deviation;                // by unknown: standard deviation of x
  std::vector<std::vector<double>> covariance;  // of x
  // By pair of unknowns, in spreads of the prior: z^T M z is the square of the change of the figures, in their standard
  // deviations, for a change z, as far as the Jacobian is certain.
  std::vector<std::vector<double>> information;
  double excess = 1.0;  // k
};

class OctaveFit {
 public:
  // `slopes`: of the data's figures by its unknowns; `most_runs`: that there may be. Throws std::invalid_argument where sizes
  // differ.
  OctaveFit(OctaveData data, UncertainSlopes slopes, std::size_t most_runs = 6);

  // A run of the model: x, and the figures that it gave; NaN for one that it could not give, as T20 of a decay that is longer
  // than the response.
  void add_run(std::span<const double> x, std::span<const double> figures);
  // The x of the next run. Before the first, the prior within its bounds.
  std::vector<double> next() const;
  // Is what the next run would gain so little that it is not worth its time? False before the first run.
  bool settled() const;

  std::size_t unknowns() const { return data_.prior.size(); }
  std::size_t runs() const { return runs_.size(); }
  std::size_t best() const { return best_; }  // number of the run with the least objective, from 0
  std::size_t figures_used() const;
  double objective(std::size_t run) const;
  // d f_i / d x_j, as corrected.
  const std::vector<double>& jacobian() const { return slopes_.mean(); }
  const UncertainSlopes& slopes() const { return slopes_; }
  const OctaveData& data() const { return data_; }
  // Whether the best run gives it: steps and uncertainty follow from those figures.
  bool used(std::size_t figure) const;
  OctavePosterior posterior() const;

 private:
  struct Run {
    std::vector<double> x, figures;
  };
  // x that minimises the objective of the linear model around the best run, each within `reach` of it.
  std::vector<double> minimum(double reach, double excess) const;
  double excess() const;
  // Sum of squares, with k = 1, of the figures that are not NaN, in proportion as if all were there; infinite without any.
  double misfit(const std::vector<double>& figures) const;
  double distance(const std::vector<double>& x) const;  // from the prior, likewise
  std::vector<double> predicted(const std::vector<double>& x) const;
  void correct_slopes();
  void choose_best();
  bool explores() const;  // leads the next step aside?
  std::vector<double> aside(std::vector<double> x) const;

  OctaveData data_;
  UncertainSlopes slopes_;
  std::size_t most_runs_;
  std::vector<Run> runs_;
  std::size_t best_ = 0;
  double excess_ = 1.0;
  double reach_ = 1.0;  // of x: at first a factor of e of the absorption exponent
};

}  // namespace fdtd
