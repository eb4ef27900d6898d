// fdtd compare: CTPN against the number of points by family (figure 7 of Hamilton, Webb, Gray, Bilbao, DAFx-15), and beyond
// it: what a given accuracy costs, in seconds of computing for a second of sound in 100 cubic metres.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/plot.hpp"
#include "cli/profile_options.hpp"
#include "engine/atomic_file.hpp"
#include "engine/auto_stencil.hpp"
#include "engine/error.hpp"
#include "engine/machine.hpp"
#include "engine/profile.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::cli {
namespace {

constexpr double volume = 100.0;       // m^3
constexpr double sound_speed = 343.0;  // m/s
constexpr double reference_frequency = 1000.0;

struct Options : ProfileOptions {
  std::vector<std::string> families = {"leggy", "compact", "box"};
  int count = 20;
  std::vector<double> errors = {0.02, 0.01, 0.003};
  std::string file;
  bool force = false;
  Options() { settings.repeats = 3; }
};

struct Member {
  std::vector<const Stencil*> variants;
  KernelProfile profile;
};

struct FamilyProfile {
  std::string name;
  std::vector<Member> members;
};

// What one variant costs at one error: seconds for a second of sound in `volume` up to reference_frequency; it goes with f^4.
struct Cost {
  const Stencil* stencil = nullptr;
  double ctpn_ns = 0.0, seconds = std::numeric_limits<double>::infinity();
};

std::vector<FamilyProfile> families(const Options& options) {
  std::vector<FamilyProfile> list;
  for (const std::string& name : options.families) {
    FamilyProfile family{name, {}};
    for (const Stencil& stencil : catalogue()) {
      if (name != to_string(stencil.family)) continue;
      if (family.members.empty() || member_name(*family.members.back().variants.front()) != member_name(stencil)) {
        if (static_cast<int>(family.members.size()) == options.count) break;
        family.members.emplace_back();
      }
      family.members.back().variants.push_back(&stencil);
    }
    list.push_back(std::move(family));
  }
  return list;
}

// Every variant's cost at this error, cheapest first; those that do not reach it are left out.
std::vector<Cost> costs(const FamilyProfile& family, double error) {
  std::vector<Cost> list;
  for (const Member& member : family.members)
    for (const Stencil* stencil : member.variants) {
      const double seconds =
          volume * seconds_per_cubic_metre(*stencil, member.profile.ctpn_ns, reference_frequency, error, sound_speed);
      if (std::isfinite(seconds)) list.push_back({stencil, member.profile.ctpn_ns, seconds});
    }
  std::stable_sort(list.begin(), list.end(), [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; });
  return list;
}

nlohmann::ordered_json cost_json(const std::vector<FamilyProfile>& list, const Options& options) {
  auto json = nlohmann::ordered_json::array();
  for (const double error : options.errors)
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

Plot ctpn_plot(const std::vector<FamilyProfile>& list, const ProfileSettings& settings) {
  Plot plot{fmt::format("CTPN against points, {}, {} x {} x {}", to_string(settings.precision), settings.grid[0],
                        settings.grid[1], settings.grid[2]),
            {"points K", true, 0.0, 0.0},
            {"CTPN, ns", true, 0.0, 0.0},
            {}};
  Series roof{"triad of the same run", {}, true, false, 7};
  for (const FamilyProfile& family : list) {
    Series series{family.name, {}, false, true, -1};
    for (const Member& member : family.members) {
      series.points.emplace_back(member.profile.points, member.profile.ctpn_ns);
      roof.points.emplace_back(member.profile.points, member.profile.triad_ctpn_ns);
    }
    plot.series.push_back(std::move(series));
  }
  std::stable_sort(roof.points.begin(), roof.points.end());
  plot.series.push_back(std::move(roof));
  return plot;
}

Plot cost_plot(const std::vector<FamilyProfile>& list, const Options& options) {
  Plot plot{"Seconds of computing for a second of sound in 100 m3, best of each family",
            {"max_frequency, Hz", true, 200.0, 16000.0},
            {"s / s", true, 0.0, 0.0},
            {}};
  for (std::size_t f = 0; f < list.size(); ++f)
    for (std::size_t e = 0; e < options.errors.size(); ++e) {
      const auto ranked = costs(list[f], options.errors[e]);
      if (ranked.empty()) continue;
      Series series{fmt::format("{} at {:.3g} %", ranked.front().stencil->name, 100.0 * options.errors[e]),
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

std::string document(const std::vector<FamilyProfile>& list, const Options& options, const ProfileSettings& settings) {
  Table measured{{"stencil", "points", "CTPN ns", "Gpts/s", "GB/s", "triad ns", "eff"}, {}};
  for (const FamilyProfile& family : list)
    for (const Member& member : family.members) {
      const KernelProfile& p = member.profile;
      measured.rows.push_back({member_name(*member.variants.front()), fmt::format("{}", p.points),
                               fmt::format("{:.4f}", p.ctpn_ns), fmt::format("{:.3f}", p.gpts_per_second()),
                               fmt::format("{:.1f}", p.gb_per_second()), fmt::format("{:.4f}", p.triad_ctpn_ns),
                               fmt::format("{:.2f}", p.eff())});
    }
  std::string body = fmt::format(
      "<p>{}; {}. CTPN: time of a step over the number of grid points, median of {} runs in turn with the leapfrog "
      "triad over the same arrays.</p>\n",
      escape_html(processor_name()), escape_html(vector_units()), settings.repeats);
  body += to_svg(ctpn_plot(list, settings)) + to_svg(cost_plot(list, options));
  body +=
      "<p>A stencil's grid is as coarse as the asked phase-velocity error allows in its worst direction; seconds grow "
      "with the fourth power of max_frequency.</p>\n";
  for (const double error : options.errors) {
    Table table{{"stencil", "points", "Courant number", "CTPN ns", "s / s at 1 kHz"}, {}};
    for (const FamilyProfile& family : list) {
      const auto ranked = costs(family, error);
      for (std::size_t i = 0; i < std::min<std::size_t>(5, ranked.size()); ++i)
        table.rows.push_back({ranked[i].stencil->name, fmt::format("{}", ranked[i].stencil->point_count()),
                              fmt::format("{:.4f}", ranked[i].stencil->courant),
                              fmt::format("{:.4f}", ranked[i].ctpn_ns), fmt::format("{:.4g}", ranked[i].seconds)});
    }
    body += fmt::format("<h2>{:.3g} % dispersion error: the best five of each family</h2>\n", 100.0 * error) +
            to_html(table);
  }
  return html_page("Stencil families compared", body + "<h2>Measured</h2>\n" + to_html(measured));
}

void print_tables(const std::vector<FamilyProfile>& list, const Options& options) {
  fmt::print("{:<12} {:>6} {:>10} {:>8} {:>10} {:>6}\n", "stencil", "points", "CTPN ns", "Gpts/s", "triad ns", "eff");
  for (const FamilyProfile& family : list)
    for (const Member& member : family.members) {
      const KernelProfile& p = member.profile;
      fmt::print("{:<12} {:>6} {:>10.4f} {:>8.3f} {:>10.4f} {:>6.2f}\n", member_name(*member.variants.front()),
                 p.points, p.ctpn_ns, p.gpts_per_second(), p.triad_ctpn_ns, p.eff());
    }
  for (const double error : options.errors) {
    fmt::print(
        "\nseconds for a second of sound in {:.0f} m3 up to {:.0f} Hz at {:.3g} % dispersion error, best three of each "
        "family\n",
        volume, reference_frequency, 100.0 * error);
    for (const FamilyProfile& family : list) {
      const auto ranked = costs(family, error);
      for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
        fmt::print("  {:<18} {:>6} points {:>12.4g} s\n", ranked[i].stencil->name, ranked[i].stencil->point_count(),
                   ranked[i].seconds);
      if (ranked.empty()) fmt::print("  {}: none reaches it\n", family.name);
    }
  }
}

void compare(const Options& options) {
  const ProfileSettings settings = settings_of(options);
  for (const double error : options.errors)
    if (!(error > 0.0 && error < 0.5))
      throw Error(Status::scene, fmt::format("--error: {} is no dispersion error", error),
                  "write a fraction, as in 0.02");
  if (!options.file.empty()) check_writable(options.file, options.force);
  std::vector<FamilyProfile> list = families(options);
  std::vector<KernelProfile> profiles;
  for (FamilyProfile& family : list)
    for (Member& member : family.members) {
      member.profile = profile_stencil(*member.variants.front(), settings);
      profiles.push_back(member.profile);
      fmt::print(stderr, "{}: {:.4f} ns\n", member_name(*member.variants.front()), member.profile.ctpn_ns);
    }
  if (!options.file.empty()) write_whole_file(options.file, document(list, options, settings), options.force);
  if (!options.json) {
    print_tables(list, options);
    return;
  }
  nlohmann::ordered_json json = profile_json(settings, profiles);
  json["volume"] = volume;
  json["costs"] = cost_json(list, options);
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  app.add_option("--families", options->families, "leggy, compact, box")
      ->delimiter(',')
      ->check(CLI::IsMember({"leggy", "compact", "box"}));
  app.add_option("--count", options->count, "members of each family")->check(CLI::Range(1, 20));
  app.add_option("--error", options->errors, "dispersion errors to compare at")->delimiter(',');
  app.add_option("-o,--output", options->file, "write plots and tables to this HTML file");
  app.add_flag("--force", options->force, "replace a file that exists");
  add_profile_options(app, *options);
  app.callback([options, &status] {
    compare(*options);
    status = 0;
  });
}

}  // namespace fdtd::cli
