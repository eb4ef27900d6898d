#include "engine/reports/materials_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"

namespace fdtd {

const WallAccuracy* furthest_wall(const std::vector<WallAccuracy>& walls) {
  const auto found =
      std::ranges::max_element(walls, {}, [](const WallAccuracy& w) { return std::abs(w.displacement); });
  return found == walls.end() ? nullptr : &*found;
}

double displacement_of(const std::vector<WallAccuracy>& walls) {
  const WallAccuracy* const furthest = furthest_wall(walls);
  return furthest == nullptr ? 0.0 : furthest->displacement;
}

std::string displacement_text(double metres) {
  return fmt::format("{:.2g} mm further {}", 1e3 * std::abs(metres), metres < 0.0 ? "in" : "out");
}

namespace {

const WallAccuracy* accuracy_of(const std::string& material, const std::vector<WallAccuracy>& walls) {
  const auto found = std::ranges::find(walls, material, &WallAccuracy::material);
  return found == walls.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> grid_remarks(const std::vector<MaterialFit>& materials, double max_frequency,
                                      const std::vector<WallAccuracy>& walls) {
  std::vector<std::string> remarks;
  const double most = largest_random_incidence_absorption();
  for (const MaterialFit& fit : materials) {
    const WallAccuracy* const accuracy = accuracy_of(fit.name, walls);
    if (accuracy == nullptr) continue;
    std::string bands;
    for (std::size_t i = 0; i < fit.asked.size(); ++i) {
      const double asked = std::min(fit.asked[i], most), on_grid = accuracy->on_grid[i];
      const auto off = [&](double alpha) { return std::abs(alpha - asked) > absorption_tolerance(asked); };
      if (!counts(fit, i, max_frequency) || std::isnan(on_grid) || !off(on_grid) || off(fit.fitted[i])) continue;
      bands += fmt::format("{}{:.3g} requested at {:g} Hz, {:.3g} on the grid", bands.empty() ? "" : "; ", fit.asked[i],
                           fit.bands[i], on_grid);
    }
    if (!bands.empty())
      remarks.push_back(
          fmt::format("material {}: {}; a smaller simulation.wall_error brings it nearer", fit.name, bands));
  }
  return remarks;
}

nlohmann::ordered_json materials_json(const std::vector<MaterialFit>& materials,
                                      const std::vector<WallAccuracy>& walls) {
  auto list = nlohmann::ordered_json::array();
  for (const MaterialFit& fit : materials) {
    nlohmann::ordered_json one{{"name", fit.name}, {"bands", fit.bands}};
    one["asked"] = fit.asked.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(fit.asked);
    one["fitted"] = fit.fitted;
    if (const WallAccuracy* accuracy = accuracy_of(fit.name, walls)) {
      one["on_grid"] = nlohmann::ordered_json::array();
      for (const double alpha : accuracy->on_grid)
        one["on_grid"].push_back(std::isnan(alpha) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(alpha));
      one["valid_bandwidth"] = accuracy->valid_bandwidth;
      one["displacement"] = accuracy->displacement;
    }
    auto branches = nlohmann::ordered_json::array();
    for (const Branch& branch : fit.branches) branches.push_back({{"D", branch.D}, {"E", branch.E}, {"F", branch.F}});
    one["branches"] = branches;
    if (!fit.remark.empty()) one["remark"] = fit.remark;
    if (!fit.origin.empty()) one["origin"] = fit.origin;
    list.push_back(one);
  }
  return list;
}

std::string materials_text(const std::vector<MaterialFit>& materials, double max_frequency,
                           const std::vector<WallAccuracy>& walls) {
  std::string text;
  for (const MaterialFit& fit : materials) {
    if (fit.kind == Material::Kind::rigid) continue;
    if (text.empty())
      text = fmt::format("absorption, random incidence: requested / fitted{}\n",
                         walls.empty() ? "" : " / on the grid; place by the reflection's phase");
    const WallAccuracy* const accuracy = accuracy_of(fit.name, walls);
    text += fmt::format("  {:<12}", fit.name);
    std::string above;
    for (std::size_t i = 0; i < fit.bands.size(); ++i) {
      if (!counts(fit, i, max_frequency)) {
        above += fmt::format("{}{:.6g}", above.empty() ? "" : ", ", fit.bands[i]);
        continue;
      }
      text += fmt::format("{} {:.6g} Hz ", i > 0 ? "," : "", fit.bands[i]);
      text += i < fit.asked.size() ? fmt::format("{:.3f}/{:.3f}", fit.asked[i], fit.fitted[i])
                                   : fmt::format("{}{:.3f}", walls.empty() ? "" : "-/", fit.fitted[i]);
      if (accuracy != nullptr && !std::isnan(accuracy->on_grid[i]))
        text += fmt::format("/{:.3f}", accuracy->on_grid[i]);
    }
    if (accuracy != nullptr) text += fmt::format("; appears {}", displacement_text(accuracy->displacement));
    if (!above.empty()) text += fmt::format("; above {:.6g} Hz, so not fitted: {}", max_frequency, above);
    text += '\n';
  }
  return text;
}

}  // namespace fdtd
