// fdtd profile: CTPN of stencils on this machine, each beside the triad of the same run.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/profile_options.hpp"
#include "engine/profile.hpp"

namespace fdtd::cli {

void add_profile_options(CLI::App& app, ProfileOptions& options) {
  app.add_option("--grid", options.grid, "grid size, as in 256x256x192");
  app.add_option("--precision", options.precision, "f32 or f64")->check(CLI::IsMember({"f32", "f64"}));
  app.add_option("--threads", options.settings.threads, "CPU threads; 0: all")->check(CLI::Range(0, 4096));
  app.add_option("--kernel", options.settings.kernel,
                 "sliding_window, time_slice or rows; with /AVX-512, /AVX2 or /baseline; the fastest by default");
  app.add_option("--repeats", options.settings.repeats, "pairs of stencil and triad, of which the medians are told")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--json", options.json, "print one JSON document");
}

ProfileSettings settings_of(const ProfileOptions& options) {
  ProfileSettings settings = options.settings;
  settings.precision = options.precision == "f64" ? Precision::f64 : Precision::f32;
  if (!options.grid.empty()) settings.grid = parse_grid(options.grid);
  return settings;
}

nlohmann::ordered_json profile_json(const ProfileSettings& settings, const std::vector<KernelProfile>& profiles) {
  auto results = nlohmann::ordered_json::array();
  double triad = 0.0, triad_bytes = 0.0;
  for (const KernelProfile& one : profiles) {
    triad += one.triad_ctpn_ns / static_cast<double>(profiles.size());
    triad_bytes = one.declared_bytes;
    results.push_back({{"stencil", one.stencil},
                       {"kernel", one.kernel},
                       {"precision", to_string(settings.precision)},
                       {"grid", settings.grid},
                       {"points", one.points},
                       {"ctpn_ns", one.ctpn_ns},
                       {"gpts_per_second", one.gpts_per_second()},
                       {"triad_ctpn_ns", one.triad_ctpn_ns},
                       {"eff", one.eff()},
                       {"declared_bytes_per_point", one.declared_bytes},
                       {"gb_per_second", one.gb_per_second()}});
  }
  return {{"device", "cpu"},
          {"precision", to_string(settings.precision)},
          {"grid", settings.grid},
          {"triad", {{"ctpn_ns", triad}, {"gb_per_second", triad > 0.0 ? triad_bytes / triad : 0.0}}},
          {"results", results}};
}

void print_profiles(const std::vector<KernelProfile>& profiles) {
  fmt::print("{:<18} {:>6} {:>10} {:>8} {:>8} {:>10} {:>6}  {}\n", "stencil", "points", "CTPN ns", "Gpts/s", "GB/s",
             "triad ns", "eff", "kernel");
  for (const KernelProfile& one : profiles)
    fmt::print("{:<18} {:>6} {:>10.4f} {:>8.3f} {:>8.1f} {:>10.4f} {:>6.2f}  {}\n", one.stencil, one.points,
               one.ctpn_ns, one.gpts_per_second(), one.gb_per_second(), one.triad_ctpn_ns, one.eff(), one.kernel);
}

void add_profile(CLI::App& app, int& status) {
  struct Options : ProfileOptions {
    std::vector<std::string> stencils;
  };
  auto options = std::make_shared<Options>();
  app.add_option("--stencil", options->stencils,
                 "stencil to profile, any number of times; leggy-1 to -4, compact-3 and box-222 by default");
  add_profile_options(app, *options);
  app.callback([options, &status] {
    const ProfileSettings settings = settings_of(*options);
    std::vector<std::string> names = options->stencils;
    if (names.empty()) names = {"leggy-1", "leggy-2", "leggy-3", "leggy-4", "compact-3", "box-222"};
    std::vector<const Stencil*> stencils;
    for (const std::string& name : names) stencils.push_back(&known_stencil(name));
    std::vector<KernelProfile> profiles;
    for (const Stencil* stencil : stencils) profiles.push_back(profile_stencil(*stencil, settings));
    if (options->json)
      fmt::print("{}\n", profile_json(settings, profiles).dump(2));
    else
      print_profiles(profiles);
    status = 0;
  });
}

}  // namespace fdtd::cli
