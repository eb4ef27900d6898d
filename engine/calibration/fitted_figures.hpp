// The figures of merit to which absorption is fitted, in steps of which each is one just noticeable difference.
#pragma once

#include <array>
#include <cstddef>

namespace fdtd {

struct FittedFigure {
  const char* name;  // of named_figures (band_metrics.hpp)
  bool relative;     // its just noticeable difference is a fraction of it
  double jnd;        // ISO 3382-1:2009, table A.1
};
inline constexpr std::array<FittedFigure, 4> fitted_figures = {
    {{"T20", true, 0.05}, {"EDT", true, 0.05}, {"C80", false, 1.0}, {"G", false, 1.0}}};

// In just noticeable differences from 1 s, or from 0 dB: a time's is its logarithm over that of 1.05. NaN where there is none.
double in_steps(std::size_t figure, double value);

// The row of named_figures.
std::size_t index_of(const FittedFigure& figure);

}  // namespace fdtd
