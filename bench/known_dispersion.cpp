// How far the stencils of the catalogue carry waves on grids of equal axes, at the Courant numbers at which the program
// runs them in boxes and beside oblique walls: usable_omega at some tolerances, second_branch, and slowest_group of those
// with a radial map. Stencils of the same numbers are measured once. Prints one JSON document: bench/dispersion_table.py
// makes the program's table of it.
//
//   build/release/bench/bench_known_dispersion > bench/results/known-dispersion.json
//   python3 bench/result_lines.py bench/results/known-dispersion.json && python3 bench/dispersion_table.py
//
// Twenty seconds of one core.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/parallel_failure.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/system/version.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "stencils/known_dispersion.hpp"

namespace {

using namespace fdtd;
using nlohmann::ordered_json;

struct Measured {
  GridStencil grid;
  FrequencyMap map;
  std::string names;
};

ordered_json row_of(std::uint64_t fingerprint, const Measured& one) {
  ordered_json usable = ordered_json::array(), strict = usable, slowest = usable;
  const double branch = second_branch(one.grid, one.map);
  for (const double tolerance : tabulated_tolerances) {
    usable.push_back(usable_omega(one.grid, tolerance, one.map));
    strict.push_back(usable_omega(one.grid, strict_tolerance(tolerance), one.map));
    if (one.map.kind() != FrequencyMap::Kind::radial) continue;
    const double rendered = std::min(usable.back().get<double>(), branch / branch_margin);
    slowest.push_back(slowest_group(one.grid, rendered, one.map));
  }
  ordered_json row{{"fingerprint", fmt::format("{:#018x}", fingerprint)},
                   {"stencils", one.names},
                   {"courant", one.grid.courant[0]},
                   {"second_branch", branch},
                   {"usable", usable},
                   {"strict", strict}};
  if (!slowest.empty()) row["slowest"] = slowest;
  return row;
}

}  // namespace

int main() {
  std::map<std::uint64_t, Measured> all;
  for (const Stencil& stencil : catalogue())
    for (const bool oblique : {false, true}) {
      const double lambda = own_courant(stencil, oblique);
      const Stencil scaled = at_courant(stencil, lambda);
      Measured one{on_grid(scaled, {lambda, lambda, lambda}), frequency_map(scaled), {}};
      Measured& kept = all.try_emplace(dispersion_fingerprint(one.grid, one.map), one).first->second;
      if ((' ' + kept.names + ' ').find(' ' + stencil.name + ' ') != std::string::npos) continue;
      if (!kept.names.empty()) kept.names += ' ';
      kept.names += stencil.name;
    }
  const std::vector<std::pair<std::uint64_t, Measured>> list(all.begin(), all.end());
  std::vector<ordered_json> rows(list.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < list.size(); ++i) failure.guard([&] { rows[i] = row_of(list[i].first, list[i].second); });
  failure.rethrow();
  const ordered_json document{
      {"what",
       "Of stencils on grids of equal axes, radians a step: the second branch, and the frequency up to which the phase "
       "velocity keeps the tolerances, and a little less than each; the slowest group over the speed of sound up to "
       "where results hold, of stencils with a radial map"},
      {"command", "build/release/bench/bench_known_dispersion"},
      {"program", version_line()},
      {"tolerances", tabulated_tolerances},
      {"results", rows}};
  fmt::print("{}\n", document.dump(1));
}
