// fdtd stencils [NAME|FILE]...: the catalogue as a table, or all details of some entries and of weights from files.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"
#include "engine/session/choices.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd::cli {
namespace {

const char* map_name(const Stencil& stencil) {
  switch (frequency_map(stencil).kind()) {
    case FrequencyMap::Kind::time:
      return "time";
    case FrequencyMap::Kind::radial:
      return "radial";
    case FrequencyMap::Kind::none:
      break;
  }
  return "none";
}

// The slowest group of the waves within 1 % (of a radial set: of its band), over the speed of sound.
double slowest_in_band(const Stencil& stencil) {
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const FrequencyMap map = frequency_map(stencil);
  const double omega =
      stencil.radial ? std::min(stencil.courant * stencil.radial->edge(), second_branch(grid, map) / branch_margin)
                     : rendered_omega(grid, 0.01, map);
  return slowest_group(grid, omega, map);
}

std::vector<std::array<int, 3>> shells_of(const Stencil& stencil) {
  std::vector<std::array<int, 3>> shells;
  for (const Shell& shell : stencil.shells) shells.push_back({shell.q1, shell.q2, shell.q3});
  return shells;
}

std::vector<double> weights_of(const Stencil& stencil) {
  std::vector<double> weights{stencil.centre};
  weights.insert(weights.end(), stencil.weights.begin(), stencil.weights.end());
  return weights;
}

const JsonFields<Stencil>& stencil_fields() {
  static const auto fields =
      JsonFields<Stencil>()
          .value("name", "", "Name of the stencil.", &Stencil::name)
          .value("family", "", "`leggy`, `compact` or `box`; `user`: of a file, with points off the axes.",
                 [](const Stencil& s) { return to_string(s.family); })
          .value("variant", "", "How its weights were designed.", &Stencil::variant)
          .value("points", "", "Number of points.", &Stencil::point_count)
          .value("shell_count", "", "Number of shells of equivalent points.",
                 [](const Stencil& s) { return s.shells.size(); })
          .value("radius", "", "Largest coordinate of a point.", &Stencil::radius)
          .value("order", "", "Order of accuracy.", &Stencil::order)
          .value("courant", "", "The Courant number that it is run at.", &Stencil::courant)
          .value("courant_limit", "", "Largest stable Courant number.", &Stencil::courant_limit)
          .value("time_dispersion_removal", "", "Is it designed for responses corrected for time dispersion?",
                 &Stencil::time_dispersion_removal)
          .value(
              "frequency_map", "",
              "The error that rendering undoes: `none`; `time`, that of the time difference; `radial`, all dispersion "
              "that is the same in every direction.",
              map_name)
          .value("slowest_group", "",
                 "Slowest group velocity of waves within 1 % (`radial`: of the band), over the sound speed.",
                 slowest_in_band)
          .value("shells", "", "One point [q1, q2, q3] of each shell.", shells_of)
          .value("weights", "", "Weights of S: the centre's, then one for each shell.", weights_of)
          .value("within_1_percent", "",
                 "Fraction of the wavenumbers up to |k| h = π with a phase velocity within 1 %: worst direction, "
                 "(100), (110), (111).",
                 [](const Stencil& s) { return usable_fractions(s, 0.01); })
          .value("within_2_percent", "", "The same within 2 %.",
                 [](const Stencil& s) { return usable_fractions(s, 0.02); })
          .value("proof", "", "Why it is stable at walls.", [](const Stencil& s) { return to_string(s.proof); })
          .value("source", "", "Publication or derivation of the weights.", &Stencil::source);
  return fields;
}

void print_table(const std::vector<const Stencil*>& entries) {
  print_text("{:<18} {:>6} {:>6} {:>6} {:>5} {:>8} {:>6} {:>6}  {}\n", "name", "points", "shells", "radius", "order",
             "courant", "1 %", "2 %", "walls");
  for (const Stencil* s : entries)
    print_text("{:<18} {:>6} {:>6} {:>6} {:>5} {:>8.5f} {:>6.3f} {:>6.3f}  {}\n", s->name, s->point_count(),
               s->shells.size(), s->radius(), s->order, s->courant, usable_fractions(*s, 0.01)[0],
               usable_fractions(*s, 0.02)[0], to_string(s->proof));
  print_text(
      "1 %, 2 %: fraction of the wavenumber radius |k|h/pi within that phase-velocity error in the worst direction\n");
}

void print_entry(const Stencil& s) {
  print_text("{}: {} points in {} shell{}, radius {}, order {}\n", s.name, s.point_count(), s.shells.size(),
             s.shells.size() == 1 ? "" : "s", s.radius(), s.order);
  print_text("  Courant number {:.9g}, limit {:.9g}; walls: {}{}\n", s.courant, s.courant_limit, to_string(s.proof),
             s.time_dispersion_removal ? "; for use with time-dispersion removal" : "");
  if (s.radial)
    print_text(
        "  rendered by its map of frequencies, up to {:.3f} of |k|h/pi; slowest group {:.3f} of the sound speed\n",
        s.radial->edge() / std::numbers::pi, slowest_in_band(s));
  print_text("  source: {}\n", s.source);
  for (const double tolerance : {0.01, 0.02}) {
    const auto f = usable_fractions(s, tolerance);
    print_text("  within {:.0f} %: worst {:.3f}, (100) {:.3f}, (110) {:.3f}, (111) {:.3f} of |k|h/pi\n",
               100.0 * tolerance, f[0], f[1], f[2], f[3]);
  }
  print_text("  weights of S: centre {:.17g}\n", s.centre);
  for (std::size_t i = 0; i < s.shells.size(); ++i)
    print_text("    ({}, {}, {}) x {:<3} {:.17g}\n", s.shells[i].q1, s.shells[i].q2, s.shells[i].q3,
               point_count(s.shells[i]), s.weights[i]);
}

// |v - 1| against the fraction of the wavenumber radius: in the worst and the best of many directions.
void error_curves(const Stencil& stencil, Series& worst, Series& best) {
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const FrequencyMap map = frequency_map(stencil);
  constexpr int radii = 200, fan = 12;
  for (int n = 1; n <= radii; ++n) {
    const double beta = static_cast<double>(n) / radii;
    double high = 0.0, low = HUGE_VAL;
    for (int a = 0; a <= fan; ++a)
      for (int b = 0; b <= a; ++b) {
        const double length = std::hypot(1.0, static_cast<double>(a) / fan, static_cast<double>(b) / fan);
        const double unit = std::numbers::pi * beta / length;
        const double s = symbol(grid, {unit, unit * a / fan, unit * b / fan});
        const double omega = std::acos(std::clamp(s / 2.0, -1.0, 1.0));
        const double error = std::abs(map.truth(omega) / (stencil.courant * std::numbers::pi * beta) - 1.0);
        high = std::max(high, error);
        low = std::min(low, error);
      }
    worst.points.emplace_back(beta, 100.0 * high);
    best.points.emplace_back(beta, 100.0 * low);
  }
}

void write_plot(const std::vector<const Stencil*>& entries, const std::string& file, bool force) {
  Plot plot{"Phase-velocity error against wavenumber",
            {"|k| h / pi, fraction of the wavenumber radius", false, 0.0, 1.0},
            {"error, %", true, 1e-3, 100.0},
            {}};
  Table table{{"stencil", "points", "Courant number", "order", "1 %", "2 %", "walls", "source"}, {}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Stencil& s = *entries[i];
    Series worst{s.name, {}, false, false, static_cast<int>(i)}, best{"", {}, true, false, static_cast<int>(i)};
    error_curves(s, worst, best);
    plot.series.push_back(std::move(worst));
    plot.series.push_back(std::move(best));
    table.rows.push_back({s.name, fmt::format("{}", s.point_count()), fmt::format("{:.5f}", s.courant),
                          fmt::format("{}", s.order), fmt::format("{:.3f}", usable_fractions(s, 0.01)[0]),
                          fmt::format("{:.3f}", usable_fractions(s, 0.02)[0]), to_string(s.proof), s.source});
  }
  const std::string body = to_svg(plot) +
                           "<p>Solid: the worst direction; dashed: the best. Variants for use with time-dispersion "
                           "removal are shown after it. "
                           "1 % and 2 %: fraction of the wavenumber radius within that error, worst direction.</p>\n" +
                           to_html(table);
  write_whole_file(file, html_page("Dispersion of finite-difference stencils", body), force);
}

}  // namespace

DocumentFields stencils_document() { return stencil_fields().all(); }

void add_stencils(CLI::App& app, int& status) {
  struct StencilsCommand {
    std::vector<std::string> names;
    std::string plot;
    bool json = false;
    bool force = false;
  };
  auto options = std::make_shared<StencilsCommand>();
  app.add_option("name", options->names,
                 "stencils to print in full, as in leggy-4 or compact-5/opt1, or files of weights (.toml), which are "
                 "checked; without any, a table of all");
  app.add_option("-o,--output", options->plot, "write a plot of error against wavenumber to this HTML file");
  app.add_flag("--json", options->json, "print one JSON document");
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.callback([options, &status] {
    std::vector<const Stencil*> entries;
    std::list<Stencil> own;  // of files
    for (const std::string& name : options->names)
      entries.push_back(name.ends_with(".toml") ? &own.emplace_back(user_stencil_of(name)) : &known_stencil(name));
    if (entries.empty())
      for (const Stencil& stencil : catalogue()) entries.push_back(&stencil);
    if (!options->plot.empty()) {
      if (options->names.empty())
        throw Error(Status::scene, "a plot needs the names of the stencils to show",
                    "as in `fdtd stencils leggy-4 compact-5 -o dispersion.html`");
      write_plot(entries, options->plot, options->force);
    }
    if (options->json) {
      auto list = nlohmann::ordered_json::array();
      for (const Stencil* stencil : entries) list.push_back(stencil_fields().write(*stencil));
      put_document(json_text(list, 2) + "\n");
    } else if (options->names.empty()) {
      print_table(entries);
    } else {
      for (const Stencil* stencil : entries) print_entry(*stencil);
    }
    status = 0;
  });
}

}  // namespace fdtd::cli
