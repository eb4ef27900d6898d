// Absorption by material and octave that explains measured figures of merit: runs of the engine, stage after stage.
//
// A run gives the figures of all octaves up to its max_frequency, and octaves are nearly independent: all of them are fitted
// (octave_fit.hpp) to the same runs. The lowest octaves have runs of their own first, which cost hardly anything, two octaves
// a stage; later stages go on with what they found, and end when the octaves that began in them are settled. The last stage,
// of the scene as it is, costs more than all others together, and is short: its first run is one of the prior for the octaves
// that begin there, and two steps of Gauss-Newton find what a third one would hardly change. The figures of a run count for the absorption that its walls have in an
// octave, whatever is stated: a wall has one passive law for all frequencies, which meets what is stated to 5 or 10 %
// (engine/materials/band_law.hpp), and changes a little in one octave when the next one's coefficient does. So that part of
// the interplay of octaves is known before the run; the rest, as sound that a band's filter lets pass from its
// neighbours, is left to the corrections of the Jacobian.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/calibration/identify.hpp"
#include "engine/calibration/octave_fit.hpp"
#include "engine/calibration/problem.hpp"
#include "engine/calibration/sensitivities.hpp"
#include "scenes/toml/replace_absorption.hpp"

namespace fdtd {

using AbsorptionTables = std::map<std::string, AbsorptionTable>;  // by name of the material

struct CalibrationStage {
  std::vector<double> octaves;          // Hz, that begin with it
  std::optional<double> max_frequency;  // Hz, of waves alone; nothing: the scene as it is
};
// Octaves above the waves' band of the scene, if there is any, belong to the last stage, which runs the scene as it is.
std::vector<CalibrationStage> calibration_stages(const Scene& scene, const std::vector<double>& octaves);

// A run of the scene with these tables. Throws Error.
using CalibrationModel = std::function<RoomFigures(const AbsorptionTables&, const CalibrationStage&)>;

struct CalibratedValue {
  std::string material;
  double prior = 0.0, fitted = 0.0;  // alpha, as stated
  double deviation = 0.0;            // of it: one standard deviation
  bool on_bound = false;
};

struct CalibratedOctave {
  double octave = 0.0;      // Hz
  std::size_t runs = 0;     // that gave its figures, in all stages
  std::size_t figures = 0;  // measured ones that the runs gave too
  double excess = 1.0;      // mean square of the differences that remain, where that is above 1
  std::vector<CalibratedValue> values;
  std::vector<std::string> unseen;  // materials whose change by the prior's spread the figures do not show
  struct Alike {
    std::vector<std::string> materials;
    double deviation = 0.0;  // of the sum of their alpha times area, relative
  };
  std::vector<Alike> alike;
  bool fitted() const { return figures > 0; }
};

// Differences of the pairs that were fitted, or held.
struct CalibrationScore {
  double octave = 0.0;     // Hz
  std::size_t figure = 0;  // of fitted_figures
  bool held = false;
  std::size_t pairs = 0;             // that have it, measured and computed
  double before = 0.0, after = 0.0;  // mean of the magnitudes, in just noticeable differences
};

struct CalibrationResult {
  AbsorptionTables tables;  // of all fitted materials
  std::vector<CalibratedOctave> octaves;
  std::vector<CalibrationScore> scores;
  std::vector<std::size_t> runs;  // by stage
  std::vector<std::string> remarks;
};

class Calibration {
 public:
  // `first`: at the problem's octaves.
  Calibration(CalibrationProblem problem, Sensitivities first);
  // Throws what the model throws; result() is then that of the runs so far. A stage before the last whose first run cannot
  // be made leaves its octaves to the next one, as the result remarks.
  void run(const std::vector<CalibrationStage>& stages, const CalibrationModel& model);
  CalibrationResult result() const;
  bool any_run() const { return !log_.empty(); }

 private:
  struct Row {
    std::size_t pair = 0, figure = 0;
  };
  struct Octave {
    double centre = 0.0;
    std::size_t index = 0;               // in problem.octaves
    std::size_t stage = 0;               // in which it began
    std::vector<std::size_t> materials;  // indices of those that absorb there, one for each unknown
    std::vector<Row> rows;
    std::optional<OctaveFit> fit;
    std::vector<std::size_t> runs;  // of the fit: indices into log_
    std::size_t all_runs = 0;
    std::optional<std::size_t> first;  // index into log_
    std::vector<double> start;         // x of the stage's first run
  };
  struct Made {
    AbsorptionTables tables;
    RoomFigures figures;
  };

  void begin(Octave& octave, std::size_t most);
  void renew(Octave& octave, std::size_t most);
  void run_stage(const CalibrationStage& stage, std::size_t most, const CalibrationModel& model);
  void make(const AbsorptionTables& tables, const CalibrationStage& stage, const CalibrationModel& model);
  AbsorptionTables next_tables() const;
  AbsorptionTables best_tables() const;
  std::vector<double> unknowns_in(const Octave& octave, const AbsorptionTables& tables) const;
  std::vector<double> figures_in(const Octave& octave, const RoomFigures& figures) const;
  CalibratedOctave summary(const Octave& octave, const AbsorptionTables& tables) const;
  void add_scores(const Octave& octave, std::vector<CalibrationScore>& scores) const;
  static bool is_fitted(const Octave& octave) {
    return octave.fit && !octave.runs.empty() && octave.fit->figures_used() > 0;
  }
  // The run whose absorption an octave takes: its best, or when all is done the one that is good for all together.
  std::size_t chosen(const Octave& octave) const { return final_.value_or(octave.runs[octave.fit->best()]); }
  std::optional<std::size_t> common_run() const;
  void make_final(const CalibrationStage& stage, std::size_t most, const CalibrationModel& model);

  CalibrationProblem problem_;
  Sensitivities sensitivities_;
  std::vector<std::size_t> number_;  // by material of the problem: that of the sensitivities
  std::vector<Octave> octaves_;
  std::vector<Made> log_;
  std::vector<std::size_t> stage_runs_;
  std::optional<std::size_t> final_;  // index into log_
  std::vector<std::string> remarks_;
};

}  // namespace fdtd
