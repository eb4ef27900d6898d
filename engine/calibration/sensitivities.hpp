// How figures of merit change with the absorption of each material, before any run: from the diffusion equation, and in a box
// from the modes between its smooth walls, as `fdtd estimate` takes them (engine/estimate).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/calibration/fitted_figures.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct Sensitivities {
  std::vector<std::string> materials;  // of the room, in the order in which it numbers them
  std::vector<double> areas;           // m2, of each
  std::size_t sources = 0, receivers = 0;
  // d figure / d x, in the steps of in_steps and the unknowns of octave_fit.hpp, by octave; 0 where the figure is missing.
  std::vector<std::vector<double>> slopes;

  double slope(std::size_t octave, std::size_t source, std::size_t receiver, std::size_t figure,
               std::size_t material) const {
    return slopes[octave]
                 [((source * receivers + receiver) * fitted_figures.size() + figure) * materials.size() + material];
  }
};

// At the absorption that the scene states, and at octaves with these centres (Hz). `cells`: about, of the room. Throws
// Error as estimate().
Sensitivities estimate_sensitivities(const Scene& scene, const std::vector<double>& octaves, std::int64_t cells = 4000);

}  // namespace fdtd
