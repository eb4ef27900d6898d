// How closely a material is met by its branches, as plots.
#pragma once

#include "cli/plot.hpp"
#include "engine/materials/absorption.hpp"

namespace fdtd::cli {

// Random-incidence absorption: the branches' own from 40 Hz to `max_frequency`, beside what was asked and fitted by octave band.
Plot absorption_plot(const MaterialFit& fit, double max_frequency);
// The reflection coefficient at normal incidence, of materials that were fitted by it.
Plot reflection_plot(const MaterialFit& fit);

}  // namespace fdtd::cli
