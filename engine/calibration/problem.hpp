// The problem of a calibration: materials of a scene, and measured pairs of its sources and receivers.
#pragma once

#include <string>
#include <vector>

#include "engine/calibration/fitted_figures.hpp"
#include "engine/measured/room_figures.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct CalibrationOptions {
  double spread = 0.5;            // of the prior: relative, of one standard deviation
  double common = 1.0;            // of the prior of all materials together, likewise
  std::vector<std::string> hold;  // sources or receivers whose pairs are judged, not fitted
  std::vector<std::string> only;  // materials; empty: all of the room
  std::vector<std::string> keep;  // materials that stay as they are
  std::vector<double> octaves;    // Hz, centres; empty: all that are measured
  int runs = 6;                   // at most, of each stage
  int whole_runs = 4;             // of the last stage, at most, where it is not the only one
};

inline constexpr double least_alpha = 1e-3, largest_alpha = 0.95;

struct CalibrationMaterial {
  std::string name;
  std::vector<double> bands, alpha;  // as the scene states it, at the octaves of the fitted table
};

struct CalibrationPair {
  std::string source, receiver;
  std::size_t measured = 0;      // index in the measured pairs
  std::size_t from = 0, to = 0;  // indices of source and receiver in the scene
  bool held = false;
};

struct CalibrationProblem {
  double spread = 0.5, common = 1.0;
  int runs = 6, whole_runs = 4;
  std::vector<CalibrationMaterial> materials;  // that are fitted
  std::vector<CalibrationPair> pairs;
  std::vector<double> octaves;  // Hz, increasing
  RoomFigures measured;
  std::vector<std::string> remarks;

  // NaN where it was not measured.
  double value(const CalibrationPair& pair, double octave, std::size_t figure) const;
};

// A figure of fitted_figures; NaN where the pair, the octave or the figure is missing.
double value_of(const RoomFigures& figures, const std::string& source, const std::string& receiver, double octave,
                std::size_t figure);

// Throws Error (status scene) for names that the scene does not have, for materials that do not absorb, and where no pair,
// octave or material is left to fit. `file`: of the measured figures, for messages.
CalibrationProblem calibration_problem(const Scene& scene, const RoomFigures& measured, const std::string& file,
                                       const CalibrationOptions& options);

}  // namespace fdtd
