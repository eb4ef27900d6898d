// By how much walls that no grid fits absorb too much or too little and shift modes, stencil by stencil, for every one of
// which voxels are cut: from waves between oblique planes (oblique_study.hpp). Stencils of the same weights are measured
// once. With names of stencils, those alone. Prints one JSON document: bench/oblique_table.py makes the planner's table of
// it.
//
//   build/release/bench/bench_oblique_limits > bench/results/oblique-limits.json
//   python3 bench/result_lines.py bench/results/oblique-limits.json && python3 bench/oblique_table.py
//
// 50 minutes of one core; stencils are measured side by side.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/parallel_failure.hpp"
#include "bench/oblique_study.hpp"
#include "engine/system/version.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace {

using namespace fdtd;
using nlohmann::ordered_json;

double rounded(double value) { return std::strtod(fmt::format("{:.4f}", value).c_str(), nullptr); }

bool alike(const Stencil& a, const Stencil& b) {
  return a.centre == b.centre && a.shells == b.shells && a.weights == b.weights && a.courant == b.courant &&
         own_courant(a, true) == own_courant(b, true);
}

ordered_json row_of(const Stencil& stencil) {
  const std::vector<double> points(bench::oblique_points.begin(), bench::oblique_points.end());
  ordered_json row{{"stencil", stencil.name}, {"courant", bench::beside_oblique_walls(stencil).courant[0]}};
  ordered_json decay = ordered_json::array(), rms = decay, most = decay, shift = decay;
  for (const bench::ObliqueErrors& one : bench::oblique_errors(stencil, points)) {
    decay.push_back(rounded(one.decay));
    rms.push_back(rounded(one.rms));
    most.push_back(rounded(one.most));
    shift.push_back(rounded(one.shift));
  }
  row["decay"] = decay;
  row["rms"] = rms;
  row["most"] = most;
  row["shift"] = shift;
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<const Stencil*> measured;
  std::vector<std::pair<const Stencil*, std::size_t>> all;  // and the one of `measured` whose weights it has
  const std::vector<std::string> asked(argv + 1, argv + argc);
  for (const Stencil& stencil : catalogue()) {
    if (!asked.empty() && std::ranges::find(asked, stencil.name) == asked.end()) continue;
    if (!knows_cut_voxels(bench::beside_oblique_walls(stencil))) continue;
    const auto known = std::ranges::find_if(measured, [&](const Stencil* one) { return alike(*one, stencil); });
    all.emplace_back(&stencil, static_cast<std::size_t>(known - measured.begin()));
    if (known == measured.end()) measured.push_back(&stencil);
  }
  std::vector<ordered_json> rows(measured.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = measured.size(); i > 0; --i)  // the largest first
    failure.guard([&] { rows[i - 1] = row_of(*measured[i - 1]); });
  failure.rethrow();
  ordered_json document{{"what",
                         "Errors of waves between oblique planes: decay, over the exact one, and shift, of frequencies "
                         "times the volume over "
                         "that of a layer of a voxel on the walls; rms and most: of decays, over the planes"},
                        {"command", "build/release/bench/bench_oblique_limits"},
                        {"program", version_line()},
                        {"thickness", bench::oblique_thickness}};
  ordered_json planes = ordered_json::array();
  for (const bench::Planes& one : bench::oblique_planes)
    planes.push_back({one.normal[0], one.normal[1], one.normal[2], one.offset});
  document["planes"] = planes;
  document["points"] = bench::oblique_points;
  for (const auto& [stencil, place] : all) {
    ordered_json row = rows[place];
    row["stencil"] = stencil->name;
    document["results"].push_back(row);
  }
  fmt::print("{}\n", document.dump(1));
}
