#include "engine/calibration/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "engine/calibration/laws.hpp"

namespace fdtd {
namespace {

constexpr double octaves_a_stage = 2.0;
constexpr double above_the_edge =
    2.01;  // the grid is coarse for a run's highest octave: decays there are up to 10 % off

AbsorptionTable table_of(const CalibrationMaterial& material) { return {material.bands, material.alpha}; }

double alpha_at(const AbsorptionTable& table, double octave) {
  return table.alpha[static_cast<std::size_t>(std::ranges::find(table.bands, octave) - table.bands.begin())];
}

// Of the measured values of a figure: its just noticeable difference, or how much they differ from pair to pair, if that is
// more.
double deviation_of(const std::vector<double>& values) {
  double sum = 0.0, squares = 0.0;
  for (const double one : values) sum += one;
  const double mean = sum / static_cast<double>(values.size());
  for (const double one : values) squares += (one - mean) * (one - mean);
  return values.size() < 2 ? 1.0 : std::max(1.0, std::sqrt(squares / (static_cast<double>(values.size()) - 1.0)));
}

double in_differences(std::size_t figure, double computed, double measured) {
  const FittedFigure& one = fitted_figures[figure];
  return std::abs(computed - measured) / (one.relative ? one.jnd * measured : one.jnd);
}

}  // namespace

std::vector<CalibrationStage> calibration_stages(const Scene& scene, const std::vector<double>& octaves) {
  const auto reached = [&](double centre) {
    return !scene.simulation.max_frequency || centre * std::numbers::sqrt2 <= *scene.simulation.max_frequency * 1.01;
  };
  std::vector<double> waves, rest;
  for (const double octave : octaves) (reached(octave) ? waves : rest).push_back(octave);
  std::vector<CalibrationStage> stages;
  if (!scene.simulation.max_frequency) return {{octaves, std::nullopt}};
  while (!waves.empty()) {
    CalibrationStage stage{{}, above_the_edge * std::numbers::sqrt2 * waves.back()};
    const double lowest = waves.back() / std::exp2(octaves_a_stage - 0.5);
    while (!waves.empty() && waves.back() > lowest) {
      stage.octaves.insert(stage.octaves.begin(), waves.back());
      waves.pop_back();
    }
    stages.insert(stages.begin(), stage);
  }
  if (stages.size() > 1 && stages[0].octaves.size() == 1) {  // on its own grid, the coarsest, it would learn little
    stages[1].octaves.insert(stages[1].octaves.begin(), stages[0].octaves[0]);
    stages.erase(stages.begin());
  }
  // A stage that costs as much as the scene as it is belongs to it.
  while (stages.size() > 1 && *stages[stages.size() - 2].max_frequency > 0.9 * *scene.simulation.max_frequency) {
    const std::vector<double> last = stages.back().octaves;
    stages.pop_back();
    stages.back().octaves.insert(stages.back().octaves.end(), last.begin(), last.end());
  }
  if (stages.empty()) stages.emplace_back();
  stages.back().octaves.insert(stages.back().octaves.end(), rest.begin(), rest.end());
  stages.back().max_frequency.reset();
  return stages;
}

Calibration::Calibration(CalibrationProblem problem, Sensitivities first)
    : problem_(std::move(problem)), sensitivities_(std::move(first)), remarks_(problem_.remarks) {
  for (const CalibrationMaterial& one : problem_.materials)
    number_.push_back(static_cast<std::size_t>(std::ranges::find(sensitivities_.materials, one.name) -
                                               sensitivities_.materials.begin()));
  for (std::size_t o = 0; o < problem_.octaves.size(); ++o) {
    Octave octave;
    octave.centre = problem_.octaves[o];
    octave.index = o;
    octaves_.push_back(octave);
  }
}

void Calibration::begin(Octave& octave, std::size_t most) {
  OctaveData data;
  AbsorptionTables prior;
  octave.stage = stage_runs_.size() - 1;
  for (std::size_t m = 0; m < problem_.materials.size(); ++m) {
    const CalibrationMaterial& material = problem_.materials[m];
    prior[material.name] = table_of(material);
    if (alpha_at(table_of(material), octave.centre) > 0.0 && number_[m] < sensitivities_.materials.size())
      octave.materials.push_back(m);
  }
  data.prior = unknowns_in(octave, prior);
  data.spread.assign(octave.materials.size(), std::log1p(problem_.spread));
  data.common = std::log1p(problem_.common);
  data.lower.assign(octave.materials.size(), unknown_of(least_alpha));
  data.upper.assign(octave.materials.size(), unknown_of(largest_alpha));
  std::vector<double> slopes;
  for (std::size_t f = 0; f < fitted_figures.size(); ++f) {
    std::vector<double> values;
    for (std::size_t p = 0; p < problem_.pairs.size(); ++p) {
      const CalibrationPair& pair = problem_.pairs[p];
      const double value = in_steps(f, problem_.value(pair, octave.centre, f));
      if (pair.held || !std::isfinite(value)) continue;
      values.push_back(value);
      octave.rows.push_back({p, f});
      for (const std::size_t m : octave.materials)
        slopes.push_back(sensitivities_.slope(octave.index, pair.from, pair.to, f, number_[m]));
    }
    data.measured.insert(data.measured.end(), values.begin(), values.end());
    data.deviation.insert(data.deviation.end(), values.size(), values.empty() ? 1.0 : deviation_of(values));
  }
  octave.start = data.prior;
  octave.fit.emplace(std::move(data), UncertainSlopes(std::move(slopes), octave.materials.size()), most);
}

// A stage has other grids, and so figures of its own.
void Calibration::renew(Octave& octave, std::size_t most) {
  octave.start = octave.fit->next();
  OctaveFit next(octave.fit->data(), octave.fit->slopes().carried(), most);
  octave.fit = std::move(next);
  octave.runs.clear();
}

std::vector<double> Calibration::unknowns_in(const Octave& octave, const AbsorptionTables& tables) const {
  std::vector<double> x;
  for (const std::size_t m : octave.materials) {
    const double alpha = absorption_of_law(tables.at(problem_.materials[m].name), octave.centre);
    x.push_back(unknown_of(std::clamp(alpha, least_alpha / 10.0, 0.99)));
  }
  return x;
}

std::vector<double> Calibration::figures_in(const Octave& octave, const RoomFigures& figures) const {
  std::vector<double> values;
  for (const Row& row : octave.rows) {
    const CalibrationPair& pair = problem_.pairs[row.pair];
    values.push_back(in_steps(row.figure, value_of(figures, pair.source, pair.receiver, octave.centre, row.figure)));
  }
  return values;
}

AbsorptionTables Calibration::next_tables() const {
  AbsorptionTables tables;
  for (std::size_t m = 0; m < problem_.materials.size(); ++m) {
    std::vector<WantedAbsorption> wanted;
    bool as_stated = true;
    for (const Octave& octave : octaves_) {
      const auto at = std::ranges::find(octave.materials, m);
      if (!octave.fit || at == octave.materials.end()) continue;
      as_stated = as_stated && octave.first == std::nullopt;
      const std::vector<double> x = octave.runs.empty() ? octave.start : octave.fit->next();
      wanted.push_back({octave.centre, alpha_of(x[static_cast<std::size_t>(at - octave.materials.begin())])});
    }
    const AbsorptionTable prior = table_of(problem_.materials[m]);
    tables[problem_.materials[m].name] = as_stated ? prior : table_for(prior, wanted);
  }
  return tables;
}

// Those of the final run, or a mixture of what is the best for each octave; octaves without figures keep the prior.
AbsorptionTables Calibration::best_tables() const {
  AbsorptionTables tables;
  const bool mixed = !common_run();
  for (const CalibrationMaterial& material : problem_.materials) {
    AbsorptionTable table = table_of(material);
    std::vector<WantedAbsorption> wanted;
    for (const Octave& octave : octaves_) {
      if (!is_fitted(octave) || !(alpha_at(table_of(material), octave.centre) > 0.0)) continue;
      const AbsorptionTable& made = log_[chosen(octave)].tables.at(material.name);
      const auto at = std::ranges::find(table.bands, octave.centre) - table.bands.begin();
      table.alpha[static_cast<std::size_t>(at)] = alpha_at(made, octave.centre);
      wanted.push_back({octave.centre, absorption_of_law(made, octave.centre)});
    }
    tables[material.name] = mixed ? table_for(table_of(material), wanted) : table;
  }
  return tables;
}

// That all fitted octaves take their absorption from; nothing where they differ.
std::optional<std::size_t> Calibration::common_run() const {
  std::optional<std::size_t> common;
  for (const Octave& octave : octaves_) {
    if (!is_fitted(octave)) continue;
    if (common && *common != chosen(octave)) return std::nullopt;
    common = chosen(octave);
  }
  return common;
}

void Calibration::make(const AbsorptionTables& tables, const CalibrationStage& stage, const CalibrationModel& model) {
  log_.push_back({tables, model(tables, stage)});
  ++stage_runs_.back();
  for (Octave& octave : octaves_) {
    if (!octave.fit) continue;
    octave.fit->add_run(unknowns_in(octave, tables), figures_in(octave, log_.back().figures));
    octave.runs.push_back(log_.size() - 1);
    ++octave.all_runs;
    if (!octave.first) octave.first = log_.size() - 1;
  }
}

// Octaves that began in a cheaper stage take their part of the runs, but ask for none.
void Calibration::run_stage(const CalibrationStage& stage, std::size_t most, const CalibrationModel& model) {
  const auto left = [&] { return stage_runs_.back() < most; };
  const auto settled = [&] {
    return std::ranges::all_of(octaves_, [&](const Octave& one) {
      return !one.fit || one.stage + 1 < stage_runs_.size() || one.fit->settled();
    });
  };
  do make(next_tables(), stage, model);
  while (left() && !settled());
}

// Octaves may be at their best in different runs: then all of them together are one run more, where one is left. The fit is
// that of a run, whose figures are known: of the one that is good for all octaves, each by the logarithm of its objective,
// so that an octave that nothing explains does not decide for the others.
void Calibration::make_final(const CalibrationStage& stage, std::size_t most, const CalibrationModel& model) {
  const bool any = std::ranges::any_of(octaves_, is_fitted);
  if (any && !common_run() && stage_runs_.back() < most) make(best_tables(), stage, model);
  double least = std::numeric_limits<double>::infinity();
  const std::size_t first = log_.size() - stage_runs_.back();
  for (std::size_t run = 0; run < stage_runs_.back(); ++run) {
    double sum = 0.0;
    for (const Octave& octave : octaves_)
      if (is_fitted(octave))
        sum += std::log1p(octave.fit->objective(run) / static_cast<double>(octave.fit->figures_used()));
    if (sum < least) least = sum, final_ = first + run;
  }
}

void Calibration::run(const std::vector<CalibrationStage>& stages, const CalibrationModel& model) {
  std::vector<double> waiting;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    stage_runs_.push_back(0);
    const std::vector<Octave> before = octaves_;
    const auto most = static_cast<std::size_t>(
        s == 0 || s + 1 < stages.size() ? problem_.runs : std::min(problem_.runs, problem_.whole_runs));
    waiting.insert(waiting.end(), stages[s].octaves.begin(), stages[s].octaves.end());
    for (Octave& octave : octaves_)
      if (octave.fit)
        renew(octave, most);
      else if (std::ranges::find(waiting, octave.centre) != waiting.end())
        begin(octave, most);
    try {
      run_stage(stages[s], most, model);
      if (s + 1 == stages.size()) make_final(stages[s], most, model);
      waiting.clear();
    } catch (const Error& error) {
      if (stage_runs_.back() == 0) octaves_ = before;
      if (error.status == Status::interrupted || s + 1 == stages.size() || stage_runs_.back() > 0) throw;
      remarks_.push_back(fmt::format("no run up to {:.0f} Hz: its octaves were left to the next runs: {}",
                                     stages[s].max_frequency.value_or(0.0), error.what()));
    }
  }
}

CalibratedOctave Calibration::summary(const Octave& octave, const AbsorptionTables& tables) const {
  CalibratedOctave result;
  result.octave = octave.centre;
  result.runs = octave.all_runs;
  if (!octave.fit || octave.runs.empty()) return result;
  result.figures = octave.fit->figures_used();
  if (result.figures == 0) return result;
  const OctavePosterior posterior = octave.fit->posterior();
  result.excess = posterior.excess;
  const std::vector<double> x = unknowns_in(octave, tables);
  std::vector<double> areas;
  const auto name = [&](std::size_t unknown) { return problem_.materials[octave.materials[unknown]].name; };
  for (std::size_t j = 0; j < octave.materials.size(); ++j) {
    const std::size_t m = octave.materials[j];
    areas.push_back(sensitivities_.areas[number_[m]]);
    const double fitted = alpha_at(tables.at(name(j)), octave.centre);
    result.values.push_back({name(j), alpha_at(table_of(problem_.materials[m]), octave.centre), fitted,
                             posterior.deviation[j] * alpha_slope(unknown_of(std::clamp(fitted, 1e-6, 0.999))),
                             fitted <= 1.01 * least_alpha || fitted >= 0.99 * largest_alpha});
  }
  const Identified found = identify(posterior, x, areas);
  for (const std::size_t j : found.unseen) result.unseen.push_back(name(j));
  for (const AlikeMaterials& group : found.alike) {
    CalibratedOctave::Alike& one = result.alike.emplace_back();
    one.deviation = group.deviation;
    for (const std::size_t j : group.unknowns) one.materials.push_back(name(j));
  }
  return result;
}

void Calibration::add_scores(const Octave& octave, std::vector<CalibrationScore>& scores) const {
  if (!octave.first || octave.runs.empty()) return;
  const RoomFigures& before = log_[*octave.first].figures;
  const RoomFigures& after = log_[chosen(octave)].figures;
  for (const bool held : {false, true})
    for (std::size_t f = 0; f < fitted_figures.size(); ++f) {
      CalibrationScore score{octave.centre, f, held, 0, 0.0, 0.0};
      for (const CalibrationPair& pair : problem_.pairs) {
        if (pair.held != held) continue;
        const double measured = problem_.value(pair, octave.centre, f);
        const double one = in_differences(f, value_of(before, pair.source, pair.receiver, octave.centre, f), measured);
        const double other = in_differences(f, value_of(after, pair.source, pair.receiver, octave.centre, f), measured);
        if (!std::isfinite(one) || !std::isfinite(other)) continue;
        ++score.pairs;
        score.before += one;
        score.after += other;
      }
      if (score.pairs == 0) continue;
      score.before /= static_cast<double>(score.pairs);
      score.after /= static_cast<double>(score.pairs);
      scores.push_back(score);
    }
}

CalibrationResult Calibration::result() const {
  CalibrationResult result;
  result.tables = best_tables();
  result.runs = stage_runs_;
  result.remarks = remarks_;
  for (const Octave& octave : octaves_) {
    result.octaves.push_back(summary(octave, result.tables));
    add_scores(octave, result.scores);
  }
  return result;
}

}  // namespace fdtd
