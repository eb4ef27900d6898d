// Plots of how closely the branches of a material fit it.
#pragma once

#include "engine/materials/material_fit.hpp"
#include "engine/reports/plot.hpp"

namespace fdtd {

// Random-incidence absorption: of the branches from 40 Hz to `max_frequency`, with the requested and the fitted values
// by octave band.
Plot absorption_plot(const MaterialFit& fit, double max_frequency);
// The reflection coefficient at normal incidence, for materials that are fitted by it.
Plot reflection_plot(const MaterialFit& fit);

}  // namespace fdtd
