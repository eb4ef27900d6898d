#include "cli/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/say.hpp"
#include "engine/error.hpp"
#include "engine/profiling/auto_stencil.hpp"
#include "engine/reports/page.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::cli {
namespace {

constexpr double sound_speed = 343.0;  // m/s
constexpr double reference_frequency = 1000.0;

}  // namespace

std::vector<FamilyProfile> families(const std::vector<std::string>& names, int count) {
  std::vector<FamilyProfile> list;
  for (const std::string& name : names) {
    FamilyProfile family{name, {}};
    for (const Stencil& stencil : catalogue()) {
      if (name != to_string(stencil.family)) continue;
      if (family.members.empty() || member_name(*family.members.back().variants.front()) != member_name(stencil)) {
        if (static_cast<int>(family.members.size()) == count) break;
        family.members.emplace_back();
      }
      family.members.back().variants.push_back(&stencil);
    }
    list.push_back(std::move(family));
  }
  return list;
}

std::vector<Cost> costs(const FamilyProfile& family, double error) {
  std::vector<Cost> list;
  for (const Member& member : family.members)
    for (const Stencil* stencil : member.variants) {
      const double seconds = cost_volume * seconds_per_cubic_metre(*stencil, member.profile.ctpn_ns,
                                                                   reference_frequency, error, sound_speed);
      if (std::isfinite(seconds)) list.push_back({stencil, member.profile.ctpn_ns, seconds});
    }
  std::stable_sort(list.begin(), list.end(), [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
  return list;
}

nlohmann::ordered_json cost_json(const std::vector<FamilyProfile>& list, const std::vector<double>& errors) {
  auto json = nlohmann::ordered_json::array();
  for (const double error : errors)
    for (const FamilyProfile& family : list)
      for (const Cost& cost : costs(family, error))
        json.push_back({{"dispersion_error", error},
                        {"family", family.name},
                        {"stencil", cost.stencil->name},
                        {"points", cost.stencil->point_count()},
                        {"ctpn_ns", cost.ctpn_ns},
                        {"seconds_at_1000_hz", cost.seconds}});
  return json;
}

Plot cost_plot(const std::vector<FamilyProfile>& list, const std::vector<double>& errors) {
  Plot plot{"Computing time for one second of sound in 100 m3, best of each family",
            {"max_frequency, Hz", true, 200.0, 16000.0},
            {"s / s", true, 0.0, 0.0},
            {}};
  for (std::size_t f = 0; f < list.size(); ++f)
    for (std::size_t e = 0; e < errors.size(); ++e) {
      const auto ranked = costs(list[f], errors[e]);
      if (ranked.empty()) continue;
      Series series{fmt::format("{} at {:.3g} %", ranked.front().stencil->name, 100.0 * errors[e]),
                    {},
                    e > 0,
                    false,
                    static_cast<int>(f + 3 * e)};
      for (double frequency = 200.0; frequency < 17000.0; frequency *= std::pow(2.0, 0.25))
        series.points.emplace_back(frequency, ranked.front().seconds * std::pow(frequency / reference_frequency, 4));
      plot.series.push_back(std::move(series));
    }
  return plot;
}

std::string cost_tables(const std::vector<FamilyProfile>& list, const std::vector<double>& errors) {
  std::string html =
      "<p>Each stencil's grid is as coarse as the requested phase-velocity error allows in its worst direction; time "
      "grows "
      "with the fourth power of max_frequency.</p>\n";
  for (const double error : errors) {
    Table table{{"stencil", "points", "Courant number", "CTPN ns", "s / s at 1 kHz"}, {}};
    for (const FamilyProfile& family : list) {
      const auto ranked = costs(family, error);
      for (std::size_t i = 0; i < std::min<std::size_t>(5, ranked.size()); ++i)
        table.rows.push_back({ranked[i].stencil->name, fmt::format("{}", ranked[i].stencil->point_count()),
                              fmt::format("{:.4f}", ranked[i].stencil->courant),
                              fmt::format("{:.4f}", ranked[i].ctpn_ns), fmt::format("{:.4g}", ranked[i].seconds)});
    }
    html += fmt::format("<h2>{:.3g} % dispersion error: the best five of each family</h2>\n", 100.0 * error) +
            to_html(table);
  }
  return html;
}

void print_costs(const std::vector<FamilyProfile>& list, const std::vector<double>& errors) {
  for (const double error : errors) {
    print_text(
        "\nseconds for a second of sound in {:.0f} m3 up to {:.0f} Hz at {:.3g} % dispersion error, best three of each "
        "family\n",
        cost_volume, reference_frequency, 100.0 * error);
    for (const FamilyProfile& family : list) {
      const auto ranked = costs(family, error);
      for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
        print_text("  {:<18} {:>6} points {:>12.4g} s\n", ranked[i].stencil->name, ranked[i].stencil->point_count(),
                   ranked[i].seconds);
      if (ranked.empty()) print_text("  {}: no stencil reaches this error\n", family.name);
    }
  }
}

void check_errors(const std::vector<double>& errors) {
  for (const double error : errors)
    if (!(error > 0.0 && error < 0.5))
      throw Error(Status::scene, fmt::format("--error: {} is not a dispersion error", error),
                  "write a fraction, as in 0.02");
}

}  // namespace fdtd::cli
