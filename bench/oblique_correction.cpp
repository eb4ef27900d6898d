// One real factor on the admittance of all walls that no grid fits, by points a wavelength, and the errors that it
// could mend, stencil by stencil: of waves between oblique planes (oblique_study.hpp) the mean of decays over planes,
// over exact ones, their standard deviation about it, the planner's error of decays, the factor by which decays must
// be divided to make that error the least, and the error that is left; beside them decays between planes along the
// grid that cut voxels, by their place in them. Prints one JSON document; docs/explanation/walls.md, section 6,
// quotes it.
//
//   build/release/bench/bench_oblique_correction leggy-1 leggy-2 ... > bench/results/oblique-correction.json
//   python3 bench/result_lines.py bench/results/oblique-correction.json
//
// 5 seconds a stencil of one core.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/oblique_study.hpp"
#include "engine/system/version.hpp"

namespace {

using namespace fdtd;
using nlohmann::ordered_json;

constexpr std::array<double, 10> points = {2.5, 2.75, 3.0, 3.25, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0};

// Across x, through a voxel at so much of it.
constexpr std::array<double, 4> places = {0.1, 0.35, 0.6, 0.85};

double rounded(double value) { return std::strtod(fmt::format("{:.4f}", value).c_str(), nullptr); }

// The planner's error (bench::oblique_errors) of decays divided by `factor`.
double error_of(const std::vector<bench::SlabErrors>& planes, double factor) {
  double squares = 0.0, most = 0.0;
  for (const bench::SlabErrors& one : planes) {
    const double error = std::max(std::abs((1.0 + one.decay) / factor - 1.0), std::abs((1.0 + one.all) / factor - 1.0));
    squares += error * error / static_cast<double>(planes.size());
    most = std::max(most, error);
  }
  return std::max(std::sqrt(squares), most / std::numbers::sqrt2);
}

using ByPoints = std::array<std::vector<bench::SlabErrors>, points.size()>;

void measure(const bench::Planes& planes, const GridStencil& grid, ByPoints& found) {
  const test::ObliqueSlab slab = bench::oblique_slab(grid, planes);
  for (std::size_t i = 0; i < points.size(); ++i) found[i].push_back(bench::slab_errors(slab, grid, points[i]));
}

ordered_json row_of(const std::vector<bench::SlabErrors>& planes, double at) {
  const auto count = static_cast<double>(planes.size());
  double mean = 0.0, squares = 0.0;
  for (const bench::SlabErrors& one : planes) mean += (1.0 + one.decay) / count;
  for (const bench::SlabErrors& one : planes) squares += std::pow(1.0 + one.decay - mean, 2) / count;
  double best = 1.0;
  for (int i = 100; i <= 400; ++i)
    if (const double factor = 0.005 * i; error_of(planes, factor) < error_of(planes, best)) best = factor;
  return {{"points", at},
          {"mean", rounded(mean)},
          {"deviation", rounded(std::sqrt(squares))},
          {"error", rounded(error_of(planes, 1.0))},
          {"factor", rounded(best)},
          {"left", rounded(error_of(planes, best))}};
}

ordered_json rows_of(const Stencil& stencil) {
  const GridStencil grid = bench::beside_oblique_walls(stencil);
  ByPoints oblique, along;
  for (const bench::Planes& planes : bench::oblique_planes) measure(planes, grid, oblique);
  for (const double place : places) measure({{1, 0, 0}, place}, grid, along);
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    ordered_json row = row_of(oblique[i], points[i]);
    for (const bench::SlabErrors& one : along[i]) row["along_grid"].push_back(rounded(1.0 + one.decay));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  std::string command = "build/release/bench/bench_oblique_correction";
  for (const std::string& name : names) command += " " + name;
  ordered_json document{
      {"what",
       "Decays of waves between oblique planes over exact ones: mean over planes, standard deviation "
       "about it, the planner's error, the factor that makes it the least, the error left; along_grid: decays "
       "between planes along the grid that cut voxels at `places`"},
      {"command", command},
      {"program", version_line()},
      {"thickness", bench::oblique_thickness},
      {"places", places}};
  for (const std::string& name : names) {
    const Stencil* const stencil = find_stencil(name);
    if (stencil == nullptr) {
      fmt::print(stderr, "bench_oblique_correction: no stencil {}\n", name);
      return 1;
    }
    for (ordered_json& row : rows_of(*stencil)) {
      ordered_json named{{"stencil", stencil->name}};
      named.update(row);
      document["results"].push_back(named);
    }
  }
  fmt::print("{}\n", document.dump(1));
}
