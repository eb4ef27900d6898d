#include "engine/reports/materials_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rounded_text.hpp"
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
  return fmt::format("{} mm further {}", rounded_text(1e3 * std::abs(metres), 2), metres < 0.0 ? "in" : "out");
}

namespace {

const WallAccuracy* accuracy_of(const std::string& material, const std::vector<WallAccuracy>& walls) {
  const auto found = std::ranges::find(walls, material, &WallAccuracy::material);
  return found == walls.end() ? nullptr : &*found;
}

}  // namespace

std::vector<MaterialFit> by_name(std::vector<MaterialFit> materials) {
  std::ranges::sort(materials, {}, &MaterialFit::name);
  return materials;
}

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

std::vector<WallMaterial> wall_materials(const std::vector<MaterialFit>& materials,
                                         const std::vector<WallAccuracy>& walls) {
  std::vector<WallMaterial> list;
  for (const MaterialFit& fit : materials) list.push_back({&fit, accuracy_of(fit.name, walls)});
  std::ranges::sort(list, {}, [](const WallMaterial& one) { return one.fit->name; });
  return list;
}

namespace {

const JsonFields<MaterialFit>& absorption_fields() {
  static const auto fields =
      JsonFields<MaterialFit>()
          .value("name", "", "Name of the material.", &MaterialFit::name)
          .value("bands", "Hz", "Centre frequencies of the octave bands.", &MaterialFit::bands)
          .value("asked", "",
                 "Requested random-incidence absorption coefficient of each band; null for materials that are branches "
                 "already.",
                 [](const MaterialFit& fit) {
                   return fit.asked.empty() ? std::nullopt : std::optional<std::vector<double>>(fit.asked);
                 })
          .value("fitted", "", "Random-incidence absorption coefficient of the branches in each band.",
                 &MaterialFit::fitted);
  return fields;
}

const JsonFields<Branch>& branch_fields() {
  static const auto fields = JsonFields<Branch>()
                                 .value("D", "s", "Mass term.", &Branch::D)
                                 .value("E", "", "Resistance.", &Branch::E)
                                 .value("F", "1/s", "Stiffness term.", &Branch::F);
  return fields;
}

const JsonFields<MaterialFit>& fit_fields() {
  static const auto fields =
      JsonFields<MaterialFit>()
          .list("branches", "The parallel branches; the admittance of each is 1 / (D s + E + F / s).", branch_fields(),
                &MaterialFit::branches)
          .elements("the material is not rigid")
          .value("remark", "", "Where the fit departs from the request.", &MaterialFit::remark)
          .only_if("there is one", [](const MaterialFit& fit) { return !fit.remark.empty(); })
          .value("origin", "", "Where the data are from.", &MaterialFit::origin)
          .only_if("from the library or a file", [](const MaterialFit& fit) { return !fit.origin.empty(); });
  return fields;
}

std::vector<std::optional<double>> absorption_on_grid(const WallAccuracy& wall) {
  std::vector<std::optional<double>> list;
  for (const double alpha : wall.on_grid) list.push_back(std::isnan(alpha) ? std::nullopt : std::optional(alpha));
  return list;
}

const JsonFields<WallAccuracy>& wall_fields() {
  static const auto fields =
      JsonFields<WallAccuracy>()
          .value("on_grid", "",
                 "Random-incidence absorption coefficient of a plane wall on the grid in each band; null above "
                 "`max_frequency`.",
                 absorption_on_grid)
          .value("valid_bandwidth", "Hz",
                 "Frequency, at most `max_frequency`, up to which a plane wall absorbs within `wall_error`.",
                 &WallAccuracy::valid_bandwidth)
          .value("displacement", "m",
                 "Where the phase of its reflection on the grid puts a plane wall, outward above 0: -arg(R / R of "
                 "theory) / (2 k cos θ), the furthest from 0 at angles of incidence θ to 75 degrees and frequencies up "
                 "to `valid_bandwidth`; waves of which less than a quarter of the energy is reflected do not count.",
                 &WallAccuracy::displacement);
  return fields;
}

}  // namespace

const JsonFields<MaterialFit>& material_fields() {
  static const auto fields = JsonFields<MaterialFit>().include(absorption_fields()).include(fit_fields());
  return fields;
}

const JsonFields<WallMaterial>& wall_material_fields() {
  const auto fit = [](const WallMaterial& of) -> const MaterialFit& { return *of.fit; };
  static const auto fields =
      JsonFields<WallMaterial>()
          .include(absorption_fields(), fit)
          .elsewhere()
          .include(wall_fields(), [](const WallMaterial& of) -> const WallAccuracy& { return *of.wall; })
          .only_if("the material is not rigid", [](const WallMaterial& of) { return of.wall != nullptr; })
          .include(fit_fields(), fit)
          .elsewhere();
  return fields;
}

std::string materials_text(const std::vector<MaterialFit>& materials, double max_frequency,
                           const std::vector<WallAccuracy>& walls, bool geometry) {
  std::string text;
  for (const MaterialFit& fit : by_name(materials)) {
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
    if (!above.empty())
      text +=
          fmt::format("; above {:.6g} Hz, {}: {}", max_frequency, geometry ? "for geometry" : "so not fitted", above);
    text += '\n';
  }
  return text;
}

}  // namespace fdtd
