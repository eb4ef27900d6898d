#include "engine/run/instability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace fdtd {
namespace {

constexpr int scan_points = 17;        // per axis, from 0 to pi
constexpr double symbol_slack = 1e-6;  // of |S| beyond 2: rounding of float weights

const char* const axis_names[] = {"x", "y", "z"};

std::optional<Diagnosis> numbers_that_are_none(const Plan& plan) {
  bool finite = std::isfinite(plan.stencil.centre) && std::isfinite(plan.drive_scale);
  for (const Term& term : plan.stencil.terms) finite = finite && std::isfinite(term.weight);
  if (!finite) return Diagnosis{"a weight of the stencil is not finite", "correct the stencil's weights"};
  for (const RowEntry& entry : plan.near_wall.entries) finite = finite && std::isfinite(entry.weight);
  for (const NodeMass& mass : plan.near_wall.masses) finite = finite && std::isfinite(mass.mass) && mass.mass > 0.0;
  if (!finite)
    return Diagnosis{"a weight or a mass near a wall is not finite and above 0", "this is a bug: please report it"};
  return std::nullopt;
}

std::optional<Diagnosis> walls_that_give(const Plan& plan) {
  for (std::size_t i = 0; i < plan.boundary.laws.size(); ++i) {
    const WallLaw& law = plan.boundary.laws[i];
    const auto refuse = [&](const char* what, double value) {
      return Diagnosis{
          fmt::format(
              "the walls of material {} across {} have a {} of {:.4g}: a negative impedance supplies energy instead of "
              "dissipating it",
              law.material, axis_names[law.axis], what, value),
          "give every material an admittance, or branches D, E and F, of at least 0"};
    };
    const auto wrong = [](double value) { return !(value >= 0.0) || !std::isfinite(value); };
    if (wrong(law.inertance)) return refuse("mass (inertance)", law.inertance);
    for (const LawBranch& branch : law.branches) {
      std::optional<Diagnosis> found;
      auto name = branch_term_names.begin();
      each_term(
          [&](double term) {
            if (wrong(term) && !found) found = refuse(*name, term);
            ++name;
          },
          branch);
      if (found) return found;
    }
  }
  for (const BoundarySite& site : plan.boundary.sites)
    if (!(site.weight >= 0.0))
      return Diagnosis{fmt::format("a wall has the area {:.4g}", site.weight), "this is a bug: please report it"};
  return std::nullopt;
}

std::optional<Diagnosis> weights_that_grow(const Plan& plan) {
  double worst = 0.0;
  std::array<int, 3> where{};
  std::array<int, 3> at{};
  const auto cosine = [](int offset, int k) {
    return std::cos(std::numbers::pi * offset * k / static_cast<double>(scan_points - 1));
  };
  const auto points = [&](std::size_t d) { return plan.grid.size[d] > 1 ? scan_points : 1; };
  for (at[2] = 0; at[2] < points(2); ++at[2])
    for (at[1] = 0; at[1] < points(1); ++at[1])
      for (at[0] = 0; at[0] < points(0); ++at[0]) {
        double symbol = plan.stencil.centre;
        for (const Term& term : plan.stencil.terms) {
          double value = image_count(term) * term.weight;
          for (std::size_t d = 0; d < 3; ++d) value *= cosine(term.offset[d], at[d]);
          symbol += value;
        }
        if (std::abs(symbol) > std::abs(worst)) {
          worst = symbol;
          where = at;
        }
      }
  if (std::abs(worst) <= 2.0 + symbol_slack) return std::nullopt;
  const auto degrees = [](int k) { return 180.0 * k / (scan_points - 1); };
  return Diagnosis{
      fmt::format(
          "the weights of stencil {} are unstable at Courant number {:.6g}: S is {:.6g} for waves of ({:.0f}, {:.0f}, "
          "{:.0f}) degrees per node, outside -2..2",
          plan.stencil_name, plan.grid.courant(), worst, degrees(where[0]), degrees(where[1]), degrees(where[2])),
      "choose a smaller Courant number, or another stencil"};
}

}  // namespace

Diagnosis diagnose(const Plan& plan) {
  if (auto found = numbers_that_are_none(plan)) return *found;
  if (auto found = walls_that_give(plan)) return *found;
  if (auto found = weights_that_grow(plan)) return *found;
  return {fmt::format("none is known: stencil {} at Courant number {:.6g} and every wall law are stable by themselves",
                      plan.stencil_name, plan.grid.courant()),
          plan.precision == Precision::f32
              ? "this is a bug, please report it with the scene; precision = \"f64\" may avoid it"
              : "this is a bug, please report it with the scene"};
}

}  // namespace fdtd
