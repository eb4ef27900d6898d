// Every material of the library on every kind of stencil, up to five frequencies: do plans take it, do its walls hold
// up to max_frequency, and is its absorption right on the grid?
//
//     bench_library [--stencils TEXT] [--materials TEXT] [--frequencies F,F] [--jobs N] > bench/results/library.json
//
// A line for each stencil and frequency: plans that are refused, plans whose band ends below max_frequency, and the
// coefficients farthest from the stated ones, fitted and on the grid, in bands up to max_frequency. `over` is the error
// over 5 % from 0.05 up and 10 % below; `off` counts bands with more than 1. --stencils, --materials: those whose names
// contain TEXT. Nothing is timed: any machine gives the same figures, but for rounding.
// tests/physics/test_library.cpp holds a part of it.
#include <cstdio>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/parallel_failure.hpp"
#include "bench/library_study.hpp"
#include "bench/rows_document.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/material_library.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::string stencils, materials;
  std::vector<double> frequencies = bench::surveyed_frequencies;
  int jobs = 1;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i], value = argv[i + 1];
    if (word == "--stencils") {
      arguments.stencils = value;
    } else if (word == "--materials") {
      arguments.materials = value;
    } else if (word == "--jobs") {
      arguments.jobs = std::stoi(value);
    } else if (word == "--frequencies") {
      arguments.frequencies.clear();
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');) arguments.frequencies.push_back(std::stod(one));
    } else {
      throw Error(Status::scene, "no option " + word);
    }
  }
  return arguments;
}

struct Farthest {
  double over = 0.0;
  int off = 0;
  Json place;

  void add(const std::string& material, const bench::SurveyedBand& band, double alpha) {
    const double now = bench::over_tolerance(alpha, band.asked);
    if (now > 1.0) ++off;
    if (now <= over) return;
    over = now;
    place = {{"material", material},
             {"band", band.centre},
             {"asked", band.asked},
             {"alpha", std::stod(fmt::format("{:.4f}", alpha))}};
  }
  Json json() const {
    Json result = {{"off", off}, {"over", std::stod(fmt::format("{:.2f}", over))}};
    result.update(place);
    return result;
  }
};

Json row_of(const std::string& stencil, double frequency, const Arguments& arguments) {
  Farthest fitted, on_grid;
  int plans = 0;
  Json refused = Json::array(), shorter = Json::array();
  double coarsest = 0.0, finest = 1e9;
  for (const LibraryMaterial& material : material_library()) {
    if (material.name.find(arguments.materials) == std::string::npos) continue;
    const bench::SurveyedPlan plan = bench::survey(material.name, stencil, frequency);
    ++plans;
    if (!plan.error.empty()) {
      refused.push_back(fmt::format("{}: {}", material.name, plan.error));
      continue;
    }
    if (plan.valid_bandwidth < frequency * (1.0 - 1e-9))
      shorter.push_back(fmt::format("{}: {:.1f} Hz", material.name, plan.valid_bandwidth));
    coarsest = std::max(coarsest, plan.spacing);
    finest = std::min(finest, plan.spacing);
    for (const bench::SurveyedBand& band : plan.bands) {
      fitted.add(material.name, band, band.fitted);
      on_grid.add(material.name, band, band.on_grid);
    }
  }
  return {{"stencil", stencil},
          {"max_frequency", frequency},
          {"plans", plans},
          {"spacing", {std::stod(fmt::format("{:.4f}", finest)), std::stod(fmt::format("{:.4f}", coarsest))}},
          {"refused", refused},
          {"short", shorter},
          {"fitted", fitted.json()},
          {"on_grid", on_grid.json()}};
}

// One row a line.
std::string text_of(const Json& document, const std::vector<Json>& rows) {
  std::string text = document.dump(1);
  text.resize(text.size() - 2);  // "\n}"
  text += ",\n \"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + rows[i].dump();
  return text + "\n ]\n}";
}

void run(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  std::vector<std::pair<std::string, double>> cases;
  for (const std::string& stencil : bench::surveyed_stencils)
    if (stencil.find(arguments.stencils) != std::string::npos)
      for (const double frequency : arguments.frequencies) cases.emplace_back(stencil, frequency);
  std::vector<Json> rows(cases.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(arguments.jobs)
  for (std::size_t i = 0; i < cases.size(); ++i)
    failure.guard([&] {
      rows[i] = row_of(cases[i].first, cases[i].second, arguments);
      fmt::print(stderr, "{}\n", rows[i].dump());
    });
  failure.rethrow();
  const Json document{{"what",
                       "Plans of a box of 4.1 x 3.3 x 2.6 m with walls of each material of the library: refused, valid "
                       "below max_frequency, and the random-incidence coefficients farthest from the stated ones, "
                       "fitted and on the grid; over: error over 5 % from 0.05 up and 10 % below."},
                      {"date", bench::today()},
                      {"command", bench::command_line("bench_library", argc, argv)},
                      {"program", version_line()}};
  fmt::print("{}\n", text_of(document, rows));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_library: {}\n", error.what());
    return 2;
  }
}
