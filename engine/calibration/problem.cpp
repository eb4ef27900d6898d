#include "engine/calibration/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/materials/material_law.hpp"

namespace fdtd {
namespace {

constexpr double table_octaves[] = {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0};

[[noreturn]] void refuse(const std::string& message, const std::string& remedy) {
  throw Error(Status::scene, message, remedy);
}

std::string one_of(const std::vector<std::string>& names) {
  return fmt::format("use one of {}", fmt::join(names, ", "));
}

void require_known(const char* option, const std::vector<std::string>& given, const std::vector<std::string>& known,
                   const char* what) {
  for (const std::string& name : given) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    refuse(fmt::format("{}: {} is no {} of the scene", option, in_quotes(name), what),
           near.empty() ? one_of(known) : "did you mean " + in_quotes(near) + "?");
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

template <class Spec>
std::vector<std::string> names_of(const std::vector<Spec>& list) {
  std::vector<std::string> names;
  for (const Spec& one : list) names.push_back(one.name);
  return names;
}

// Octaves of a material's table and of the fit.
std::vector<double> bands_of(const Material& material, const std::vector<double>& octaves) {
  std::set<double> bands(octaves.begin(), octaves.end());
  const bool by_octave =
      material.kind == Material::Kind::absorption && std::ranges::all_of(material.bands, [](double one) {
        return std::ranges::find(table_octaves, one) != std::end(table_octaves) || one == 31.5 || one == 16000.0;
      });
  if (by_octave)
    bands.insert(material.bands.begin(), material.bands.end());
  else
    bands.insert(std::begin(table_octaves), std::end(table_octaves));
  return {bands.begin(), bands.end()};
}

void add_pairs(const Scene& scene, const CalibrationOptions& options, const std::string& file,
               CalibrationProblem& problem) {
  const std::vector<std::string> sources = names_of(scene.sources), receivers = names_of(scene.receivers);
  std::vector<std::string> ends = sources, unknown;
  ends.insert(ends.end(), receivers.begin(), receivers.end());
  require_known("--hold", options.hold, ends, "source or receiver");
  for (std::size_t p = 0; p < problem.measured.pairs.size(); ++p) {
    const PairFigures& one = problem.measured.pairs[p];
    const auto from = std::ranges::find(sources, one.source), to = std::ranges::find(receivers, one.receiver);
    if (from == sources.end() || to == receivers.end()) {
      unknown.push_back(one.source + " " + one.receiver);
      continue;
    }
    problem.pairs.push_back({one.source, one.receiver, p, static_cast<std::size_t>(from - sources.begin()),
                             static_cast<std::size_t>(to - receivers.begin()),
                             contains(options.hold, one.source) || contains(options.hold, one.receiver)});
  }
  if (problem.pairs.empty())
    refuse(fmt::format("{} has no pair of the scene's sources ({}) and receivers ({})", file, fmt::join(sources, ", "),
                       fmt::join(receivers, ", ")),
           "name them alike: a pair is a source, a blank and a receiver");
  problem.remarks.insert(problem.remarks.end(), problem.measured.remarks.begin(), problem.measured.remarks.end());
  if (!unknown.empty())
    problem.remarks.push_back(fmt::format("not of the scene, and left out: {}", fmt::join(unknown, ", ")));
  if (std::ranges::all_of(problem.pairs, &CalibrationPair::held))
    refuse("--hold leaves no pair to fit", fmt::format("of {} hold fewer", fmt::join(options.hold, ", ")));
}

void add_octaves(const CalibrationOptions& options, const std::string& file, CalibrationProblem& problem) {
  const auto has_data = [&](double octave) {
    for (const CalibrationPair& pair : problem.pairs)
      for (std::size_t f = 0; f < fitted_figures.size() && !pair.held; ++f)
        if (std::isfinite(problem.value(pair, octave, f))) return true;
    return false;
  };
  std::vector<double> known;
  for (const double octave : problem.measured.centres)
    if (has_data(octave)) known.push_back(octave);
  if (known.empty())
    refuse(fmt::format("{} has no T20, EDT, C80 or G of the pairs to fit", file), "measure one of them by octave");
  for (const double octave : options.octaves)
    if (std::ranges::find(known, octave) == known.end())
      refuse(fmt::format("--octaves: {} has no figures of the octave {:g} Hz for the pairs to fit", file, octave),
             fmt::format("use some of {}", fmt::join(known, ", ")));
  problem.octaves = options.octaves.empty() ? known : options.octaves;
  std::ranges::sort(problem.octaves);
  problem.octaves.erase(std::unique(problem.octaves.begin(), problem.octaves.end()), problem.octaves.end());
}

void add_materials(const Scene& scene, const CalibrationOptions& options, CalibrationProblem& problem) {
  const std::vector<std::string> names = scene.room.materials().names;
  require_known("--only", options.only, names, "material");
  require_known("--keep", options.keep, names, "material");
  std::vector<std::string> rigid;
  for (const std::string& name : names) {
    if ((!options.only.empty() && !contains(options.only, name)) || contains(options.keep, name)) continue;
    const Material& material = scene.materials.at(name);
    CalibrationMaterial one{name, bands_of(material, problem.octaves), {}};
    for (const double band : one.bands) one.alpha.push_back(stated_absorption(material, band, scene.air.speed()));
    const bool absorbs = std::ranges::any_of(
        problem.octaves, [&](double octave) { return stated_absorption(material, octave, scene.air.speed()) > 0.0; });
    if (absorbs)
      problem.materials.push_back(std::move(one));
    else
      rigid.push_back(name);
  }
  for (const std::string& name : rigid)
    if (contains(options.only, name))
      refuse(
          fmt::format("--only: the material {} does not absorb, and a spread of nothing is nothing", in_quotes(name)),
          "give it the absorption that you expect of it");
  if (problem.materials.empty()) refuse("no material is left to fit", "give fewer with --keep, or more with --only");
  if (!rigid.empty())
    problem.remarks.push_back(fmt::format("without absorption, and kept: {}; a spread relative to nothing is nothing",
                                          fmt::join(rigid, ", ")));
}

}  // namespace

double value_of(const RoomFigures& figures, const std::string& source, const std::string& receiver, double octave,
                std::size_t figure) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto band = std::ranges::find(figures.centres, octave);
  const std::size_t pair = find_pair(figures, source, receiver);
  if (band == figures.centres.end() || pair == figures.pairs.size()) return none;
  const OctaveFigures& row = figures.pairs[pair].octaves[static_cast<std::size_t>(band - figures.centres.begin())];
  return row[index_of(fitted_figures[figure])].value.value_or(none);
}

double CalibrationProblem::value(const CalibrationPair& pair, double octave, std::size_t figure) const {
  return value_of(measured, pair.source, pair.receiver, octave, figure);
}

CalibrationProblem calibration_problem(const Scene& scene, const RoomFigures& measured, const std::string& file,
                                       const CalibrationOptions& options) {
  CalibrationProblem problem;
  problem.spread = options.spread;
  problem.common = options.common;
  problem.runs = options.runs;
  problem.whole_runs = options.whole_runs;
  problem.measured = measured;
  add_pairs(scene, options, file, problem);
  add_octaves(options, file, problem);
  add_materials(scene, options, problem);
  return problem;
}

}  // namespace fdtd
