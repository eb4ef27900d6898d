// Which unknowns of an octave the figures determine, and which they do not distinguish.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/calibration/octave_fit.hpp"

namespace fdtd {

// alpha of x = ln(-ln(1 - alpha)), and back.
double alpha_of(double x);
double unknown_of(double alpha);  // 0 < alpha < 1
double alpha_slope(double x);     // d alpha / d x

// Materials whose absorption may pass from one to another without a change that the figures show.
struct AlikeMaterials {
  std::vector<std::size_t> unknowns;  // two or more
  double deviation = 0.0;             // of the sum of alpha times area of them, relative to it
};

struct Identified {
  std::vector<std::size_t> unseen;  // a change by one standard deviation of the prior does not show
  std::vector<AlikeMaterials> alike;
};

// At x, with the uncertainty of a fit. A change shows where it moves the figures, all together, by a
// standard deviation: then the figures make that of the prior smaller by a factor of at least sqrt(2). Two unknowns are alike
// where the change of one that is made up for by the other, as long as one standard deviation of the prior, does not show.
// `areas`: of the unknowns' materials, m2.
Identified identify(const OctavePosterior& posterior, std::span<const double> x, std::span<const double> areas);

}  // namespace fdtd
