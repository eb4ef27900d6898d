#include "engine/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "engine/calibration/laws.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Two materials, and pairs that see more of one or of the other; times by Eyring's formula for what the laws of walls
// absorb.
const std::vector<std::vector<double>> seen = {{50.0, 20.0}, {20.0, 50.0}};
const std::vector<std::string> receivers = {"R1", "R2", "R3"};

RoomFigures figures_of(const AbsorptionTables& tables, const std::vector<double>& octaves) {
  RoomFigures figures;
  figures.centres = octaves;
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    PairFigures pair{"S", receivers[r], {}};
    for (const double octave : octaves) {
      double exponent = 0.0;
      std::size_t m = 0;
      for (const auto& [name, table] : tables)
        exponent -= seen[r % 2][m++] * std::log1p(-absorption_of_law(table, octave));
      OctaveFigures values;
      values[index_of(fitted_figures[0])].value = 0.161 * 100.0 / exponent;
      pair.octaves.push_back(values);
    }
    figures.pairs.push_back(pair);
  }
  return figures;
}

const std::vector<double> octaves = {63.0, 125.0, 250.0, 500.0};

CalibrationProblem problem_of(const AbsorptionTables& truth, double factor) {
  CalibrationProblem problem;
  problem.spread = 100.0;
  problem.octaves = octaves;
  problem.measured = figures_of(truth, octaves);
  for (const auto& [name, table] : truth) {
    CalibrationMaterial one{name, table.bands, table.alpha};
    for (double& alpha : one.alpha) alpha *= factor;
    problem.materials.push_back(one);
  }
  for (std::size_t r = 0; r < receivers.size(); ++r) problem.pairs.push_back({"S", receivers[r], r, 0, r, r == 2});
  return problem;
}

// By areas alone, at half of the true size.
Sensitivities first_slopes() {
  Sensitivities first;
  first.materials = {"a", "b"};
  first.areas = {35.0, 35.0};
  first.sources = 1;
  first.receivers = receivers.size();
  for (std::size_t o = 0; o < octaves.size(); ++o) {
    std::vector<double>& slopes = first.slopes.emplace_back();
    for (std::size_t r = 0; r < receivers.size(); ++r)
      for (std::size_t f = 0; f < fitted_figures.size(); ++f)
        for (std::size_t m = 0; m < 2; ++m) slopes.push_back(f == 0 ? -10.0 * seen[r % 2][m] / 70.0 : 0.0);
  }
  return first;
}

const AbsorptionTables truth = {{"a", {{63, 125, 250, 500}, {0.12, 0.2, 0.3, 0.25}}},
                                {"b", {{63, 125, 250, 500}, {0.3, 0.1, 0.08, 0.15}}}};
const std::vector<CalibrationStage> stages = {{{63.0, 125.0}, 180.0}, {{250.0, 500.0}, std::nullopt}};

// Octaves that a stage's runs reach.
std::vector<double> reached(const CalibrationStage& stage) {
  return stage.max_frequency ? std::vector<double>{63.0, 125.0} : octaves;
}

}  // namespace

TEST_CASE("stages begin with the lowest octaves, two at a time, and end with the scene as it is", "[calibration]") {
  Scene scene;
  scene.simulation.max_frequency = 5700.0;
  const auto found = calibration_stages(scene, {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0});
  REQUIRE(found.size() == 3);
  CHECK(found[0].octaves == std::vector<double>{63.0, 125.0, 250.0});                     // the lowest is not alone
  CHECK(found[0].max_frequency.value() == Approx(500.0 * std::sqrt(2.0)).epsilon(0.01));  // an octave above
  CHECK(found[1].octaves == std::vector<double>{500.0, 1000.0});
  CHECK(found[2].octaves == std::vector<double>{2000.0, 4000.0, 8000.0});  // the last above the waves
  CHECK_FALSE(found[2].max_frequency);
  scene.simulation.max_frequency = 1000.0;
  CHECK(calibration_stages(scene, {63.0, 125.0, 250.0, 500.0}).size() == 2);
  scene.simulation.max_frequency = 500.0;  // runs to 360 Hz would not be cheaper by much
  CHECK(calibration_stages(scene, {125.0, 250.0}).size() == 1);
  CHECK(calibration_stages(scene, {1000.0}).size() == 1);
  scene.simulation.max_frequency.reset();
  CHECK(calibration_stages(scene, {63.0, 4000.0}).size() == 1);
}

TEST_CASE("absorption is found stage by stage, and held pairs are judged alone", "[calibration]") {
  Calibration calibration(problem_of(truth, 1.5), first_slopes());
  std::vector<bool> whole;
  calibration.run(stages, [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
    whole.push_back(!stage.max_frequency);
    return figures_of(tables, reached(stage));
  });
  const CalibrationResult result = calibration.result();
  for (const auto& [name, table] : truth)
    for (std::size_t i = 0; i < octaves.size(); ++i)
      CHECK(result.tables.at(name).alpha[i] == Approx(table.alpha[i]).margin(0.02));
  REQUIRE(result.runs.size() == 2);
  CHECK(result.runs[0] <= 6);
  CHECK(result.runs[1] <= 6);
  CHECK(whole.size() == result.runs[0] + result.runs[1]);
  CHECK(std::is_sorted(whole.begin(), whole.end()));
  REQUIRE(result.octaves.size() == 4);
  CHECK(result.octaves[0].runs == whole.size());
  CHECK(result.octaves[3].runs == result.runs[1]);
  CHECK(result.octaves[0].figures == 2);
  CHECK(result.octaves[0].alike.empty());
  REQUIRE(result.scores.size() == 8);
  for (const CalibrationScore& score : result.scores) {
    CHECK(score.pairs == (score.held ? 1 : 2));
    CHECK(score.before > 4.0);
    CHECK(score.after < 0.7);
  }
}

TEST_CASE("octaves that share the runs of the whole scene ask for four at most, and those fitted before for none",
          "[calibration]") {
  std::size_t whole = 0;
  const auto runs_of = [&](const std::vector<double>& unsteady, CalibrationProblem problem) {
    Calibration calibration(std::move(problem), first_slopes());
    whole = 0;
    calibration.run(stages, [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
      RoomFigures figures = figures_of(tables, reached(stage));
      if (stage.max_frequency) return figures;
      ++whole;
      for (PairFigures& pair : figures.pairs)  // no absorption explains them
        for (const double octave : unsteady) {
          auto& value = pair.octaves[static_cast<std::size_t>(std::ranges::find(octaves, octave) - octaves.begin())]
                                    [index_of(fitted_figures[0])]
                                        .value;
          *value *= pair.receiver == "R1" ? 0.7 : 1.4;
        }
      return figures;
    });
    const CalibrationResult result = calibration.result();
    for (const auto& [name, table] : truth)
      for (std::size_t i = unsteady.size(); i < octaves.size(); ++i)
        CHECK(result.tables.at(name).alpha[i] == Approx(table.alpha[i]).margin(0.02));
    return result.runs[1];
  };
  const std::size_t steady = runs_of({}, problem_of(truth, 1.5));
  CHECK(steady <= 4);
  CHECK(runs_of({63.0, 125.0}, problem_of(truth, 1.5)) <= 4);
  CalibrationProblem short_one = problem_of(truth, 1.5);
  short_one.whole_runs = 2;
  Calibration calibration(short_one, first_slopes());
  calibration.run(stages, [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
    return figures_of(tables, reached(stage));
  });
  CHECK(calibration.result().runs[1] == 2);
}

TEST_CASE("a stage whose run cannot be made leaves its octaves to the next one", "[calibration]") {
  Calibration calibration(problem_of(truth, 1.5), first_slopes());
  calibration.run(stages, [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
    if (stage.max_frequency) throw Error(Status::scene, "too coarse");
    return figures_of(tables, octaves);
  });
  const CalibrationResult result = calibration.result();
  CHECK(result.runs[0] == 0);
  REQUIRE(result.remarks.size() == 1);
  CHECK(result.remarks[0].find("too coarse") != std::string::npos);
  CHECK(result.tables.at("a").alpha[0] == Approx(0.12).margin(0.02));
  Calibration other(problem_of(truth, 1.5), first_slopes());
  CHECK_THROWS_AS(other.run(stages,
                            [](const AbsorptionTables&, const CalibrationStage&) -> RoomFigures {
                              throw Error(Status::scene, "wrong");
                            }),
                  Error);
  CHECK_FALSE(other.any_run());
}

TEST_CASE("interrupted, the fit has what it found so far", "[calibration]") {
  Calibration calibration(problem_of(truth, 1.5), first_slopes());
  CHECK_THROWS_AS(calibration.run(stages,
                                  [&](const AbsorptionTables& tables, const CalibrationStage& stage) {
                                    if (!stage.max_frequency) throw Error(Status::interrupted, "interrupted");
                                    return figures_of(tables, reached(stage));
                                  }),
                  Error);
  REQUIRE(calibration.any_run());
  const CalibrationResult result = calibration.result();
  CHECK(result.tables.at("b").alpha[0] == Approx(0.3).margin(0.02));
  CHECK(result.tables.at("b").alpha[3] == Approx(0.225));  // the prior
  CHECK(result.octaves[0].fitted());
  CHECK_FALSE(result.octaves[3].fitted());
}

TEST_CASE("an octave of which runs give no figures keeps its prior", "[calibration]") {
  Calibration calibration(problem_of(truth, 1.5), first_slopes());
  calibration.run({{octaves, std::nullopt}}, [&](const AbsorptionTables& tables, const CalibrationStage&) {
    return figures_of(tables, {63.0, 125.0, 250.0});
  });
  const CalibrationResult result = calibration.result();
  CHECK(result.octaves[2].fitted());
  CHECK_FALSE(result.octaves[3].fitted());
  CHECK(result.tables.at("a").alpha[3] == Approx(0.375));
}

TEST_CASE("tables are stated so that laws absorb what is wanted", "[calibration]") {
  const AbsorptionTable table{{63, 125, 250, 500, 1000}, {0.02, 0.09, 0.1, 0.05, 0.05}};
  const AbsorptionTable made = table_for(table, {{125.0, 0.17}, {250.0, 0.08}});
  CHECK(made.alpha[0] == 0.02);
  CHECK(absorption_of_law(made, 125.0) == Approx(0.17).epsilon(0.05));
  CHECK(absorption_of_law(made, 250.0) == Approx(0.08).epsilon(0.05));
}
