// One material on the walls of a small room, planned with one stencil up to one frequency: what the plan says of its
// absorption.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::bench {

// A stencil of every family and kind of set.
inline const std::vector<std::string> surveyed_stencils = {
    "leggy-1",        "leggy-2",           "leggy-4", "leggy-8/warp1", "leggy-20",        "compact-2",
    "compact-3/opt1", "compact-4/radial1", "box-111", "box-222/opt1",  "box-111/radial1", "box-222/radial1"};
// Upper edges of the octaves of 250 to 4000 Hz.
inline const std::vector<double> surveyed_frequencies = {355.0, 710.0, 1420.0, 2840.0, 5680.0};

struct SurveyedBand {
  double centre = 0.0, asked = 0.0, fitted = 0.0, on_grid = 0.0;
};

struct SurveyedPlan {
  std::string error;             // of a plan that is refused
  double valid_bandwidth = 0.0;  // Hz
  double spacing = 0.0;          // m
  std::vector<SurveyedBand> bands;
  std::vector<std::string> notes;
};

// A box of 4.1 x 3.3 x 2.6 m, all of whose walls are of the library's `material`.
inline Scene room_of(const std::string& material, double max_frequency) {
  ParsedScene parsed = parse_scene(
      fmt::format("schema = 1\nsimulation = {{ duration = 1.0, max_frequency = {} }}\nroom.box = [4.1, 3.3, 2.6]\n"
                  "room.walls = {{ default = \"wall\" }}\nmaterials.wall = {{ library = \"{}\" }}\n"
                  "[[source]]\nname = \"S\"\nposition = [1.2, 1.1, 1.0]\n"
                  "[[receiver]]\nname = \"R\"\nposition = [2.9, 2.2, 1.4]\n",
                  max_frequency, material),
      "survey.toml");
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems.front().message);
  return std::move(parsed.scene);
}

// No memory is taken that grows with the room.
inline SurveyedPlan survey(const std::string& material, const std::string& stencil, double max_frequency) {
  SurveyedPlan result;
  try {
    const Scene scene = room_of(material, max_frequency);
    Target target;
    target.rank = -1;
    const PlanResult planned = make_plan(scene, *find_stencil(stencil), target);
    const MaterialFit& fit = planned.materials.at(0);
    result.valid_bandwidth = planned.valid.frequency;
    result.spacing = planned.choice.grid.mean_spacing();
    for (std::size_t i = 0; i < fit.bands.size(); ++i)
      if (fit.bands[i] <= max_frequency)
        result.bands.push_back({fit.bands[i], fit.asked[i], fit.fitted[i], planned.walls.at(0).on_grid[i]});
    for (const Note& note : planned.choice.warnings) result.notes.push_back(note.text);
    if (!fit.remark.empty()) result.notes.push_back(fit.remark);
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

// How far a coefficient is off, over absorption_tolerance; of what a wall can absorb.
inline double over_tolerance(double alpha, double asked) {
  const double wanted = std::min(asked, largest_random_incidence_absorption());
  return std::isnan(alpha) ? std::numeric_limits<double>::infinity()
                           : std::abs(alpha - wanted) / absorption_tolerance(wanted);
}

}  // namespace fdtd::bench
