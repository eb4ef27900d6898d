#include "engine/reports/material_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "engine/materials/absorption.hpp"

namespace fdtd {

Plot absorption_plot(const MaterialFit& fit, double max_frequency) {
  Plot plot;
  plot.title = fmt::format("{}: random-incidence absorption", fit.name);
  plot.x = {"frequency, Hz", true, 0.0, 0.0};
  plot.y = {"absorption coefficient", false, 0.0, 1.0};
  Series curve, requested, fitted;
  curve.name = "branches";
  for (double f = 40.0; f <= std::max(80.0, max_frequency); f *= 1.02)
    curve.points.emplace_back(f, random_incidence_absorption(admittance(fit.branches, f)));
  requested.name = "requested, octave bands";
  fitted.name = "fitted, octave bands";
  requested.markers = fitted.markers = true;
  requested.dashed = true;
  for (std::size_t b = 0; b < fit.bands.size(); ++b) {
    if (!counts(fit, b, max_frequency)) continue;
    if (b < fit.asked.size()) requested.points.emplace_back(fit.bands[b], fit.asked[b]);
    fitted.points.emplace_back(fit.bands[b], fit.fitted[b]);
  }
  plot.series = {curve, requested, fitted};
  return plot;
}

Plot reflection_plot(const MaterialFit& fit) {
  Plot plot;
  plot.title = fmt::format("{}: reflection coefficient at normal incidence", fit.name);
  plot.x = {"frequency, Hz", true, 0.0, 0.0};
  plot.y = {"real and imaginary part", false, -1.0, 1.0};
  Series requested_real, requested_imaginary, real, imaginary;
  requested_real.name = "requested, real";
  requested_imaginary.name = "requested, imaginary";
  real.name = "fitted, real";
  imaginary.name = "fitted, imaginary";
  real.dashed = imaginary.dashed = true;
  for (std::size_t i = 0; i < fit.frequencies.size(); ++i) {
    const double f = fit.frequencies[i];
    const std::complex<double> y = admittance(fit.branches, f), r = (1.0 - y) / (1.0 + y);
    requested_real.points.emplace_back(f, fit.reflection[i].real());
    requested_imaginary.points.emplace_back(f, fit.reflection[i].imag());
    real.points.emplace_back(f, r.real());
    imaginary.points.emplace_back(f, r.imag());
  }
  plot.series = {requested_real, requested_imaginary, real, imaginary};
  return plot;
}

}  // namespace fdtd
