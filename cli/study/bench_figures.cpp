#include "cli/study/bench_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/reports/page.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd::cli {
namespace {

using study::GpuProfile;

std::string title_of(const char* what, const GpuCase& one) {
  return fmt::format("{}, {}, {} x {} x {}", what, to_string(one.precision), one.grid[0], one.grid[1], one.grid[2]);
}

std::vector<std::string> families_of(const GpuCase& one) {
  std::vector<std::string> names;
  for (const GpuMember& member : one.members)
    if (names.empty() || names.back() != member.family) names.push_back(member.family);
  return names;
}

// One series a family of what `value` reports of its members; nothing where it reports nothing.
template <class Value>
void add_families(Plot& plot, const GpuCase& one, const char* what, Series style, const Value& value) {
  const auto names = families_of(one);
  for (std::size_t f = 0; f < names.size(); ++f) {
    Series series = style;
    series.name = names[f] + what;
    series.colour = static_cast<int>(f);
    for (const GpuMember& member : one.members) {
      if (member.family != names[f]) continue;
      if (const std::optional<double> y = value(member)) series.points.emplace_back(member.best.points, *y);
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
}

std::optional<double> ctpn(const std::optional<GpuProfile>& profile) {
  return profile ? std::optional(profile->ctpn.median_ns) : std::nullopt;
}

// Figure 7.
Plot ctpn_plot(const GpuCase& one) {
  Plot plot{title_of("CTPN against points", one), {"points K", true, 0.0, 0.0}, {"CTPN, ns", true, 0.0, 0.0}, {}};
  Series solid, dashed, dotted;
  solid.markers = true;
  dashed.dashed = true;
  dotted.dotted = true;
  add_families(plot, one, "", solid, [](const GpuMember& m) { return std::optional(m.best.ctpn.median_ns); });
  add_families(plot, one, ", KernelB", dashed, [](const GpuMember& m) { return ctpn(m.kernel_b); });
  add_families(plot, one, ", KernelA", dotted, [](const GpuMember& m) { return ctpn(m.kernel_a); });
  Series roof{"triad of the same run", {}, true, false, 7};
  for (const GpuMember& member : one.members) roof.points.emplace_back(member.best.points, member.best.triad.median_ns);
  std::stable_sort(roof.points.begin(), roof.points.end());
  plot.series.push_back(std::move(roof));
  return plot;
}

// The variant of a member that reaches furthest within this error in the worst direction: its fraction of kh = pi.
double furthest(const Member& member, double error) {
  double fraction = 0.0;
  for (const Stencil* stencil : member.variants) fraction = std::max(fraction, usable_fractions(*stencil, error)[0]);
  return fraction;
}

// Figure 8: each member by its most accurate variant.
Plot accuracy_plot(const std::vector<FamilyProfile>& list, const GpuCase& one) {
  Plot plot{title_of("CTPN against accuracy", one),
            {"kh/pi up to which no wave is faster or slower by more", false, 0.0, 0.0},
            {"CTPN, ns", true, 0.0, 0.0},
            {}};
  for (const double error : {0.01, 0.02})
    for (std::size_t f = 0; f < list.size(); ++f) {
      Series series{
          fmt::format("{}, {:g} %", list[f].name, 100.0 * error), {}, error > 0.01, true, static_cast<int>(f)};
      for (const Member& member : list[f].members)
        series.points.emplace_back(furthest(member, error), member.profile.ctpn_ns);
      plot.series.push_back(std::move(series));
    }
  return plot;
}

// Figure 9: bytes a point from and to DRAM, counted where they were, else as the footprint model has them; and those
// between L2 and the multiprocessors.
Plot traffic_plot(const GpuCase& one) {
  const bool counted = std::any_of(one.members.begin(), one.members.end(),
                                   [](const GpuMember& member) { return member.best.counters.has_value(); });
  Plot plot{title_of(counted ? "Memory traffic, counted" : "Memory traffic, modelled", one),
            {"points K", true, 0.0, 0.0},
            {"bytes a point", true, 0.0, 0.0},
            {}};
  Series solid, dashed;
  solid.markers = true;
  dashed.dashed = true;
  add_families(plot, one, ", DRAM", solid, [](const GpuMember& m) {
    return std::optional(m.best.counters ? m.best.counters->effective_bytes() : m.best.footprint_bytes);
  });
  add_families(plot, one, ", L2", dashed, [](const GpuMember& m) {
    return std::optional(m.best.counters ? m.best.counters->l2_bytes : m.best.l2_bytes);
  });
  Series ideal{"ideal: three values", {}, true, false, 7};
  for (const GpuMember& member : one.members) ideal.points.emplace_back(member.best.points, member.best.declared_bytes);
  std::stable_sort(ideal.points.begin(), ideal.points.end());
  plot.series.push_back(std::move(ideal));
  return plot;
}

Table case_table(const GpuCase& one) {
  Table table{{"stencil", "points", "KernelA Gpts/s", "KernelB Gpts/s", "best Gpts/s", "CTPN ns", "triad ns", "eff",
               "kernel", "tile", "registers", "spilled bytes", "occupancy"},
              {}};
  const auto rate = [](const std::optional<GpuProfile>& profile) {
    return profile ? fmt::format("{:.2f}", profile->gpts_per_second()) : std::string("-");
  };
  for (const GpuMember& member : one.members) {
    const GpuProfile& p = member.best;
    table.rows.push_back({p.stencil.substr(0, p.stencil.find('/')), fmt::format("{}", p.points), rate(member.kernel_a),
                          rate(member.kernel_b), fmt::format("{:.2f}", p.gpts_per_second()),
                          fmt::format("{:.5f}", p.ctpn.median_ns), fmt::format("{:.5f}", p.triad.median_ns),
                          fmt::format("{:.3f}", p.eff()), p.kernel, to_string(p.tile),
                          fmt::format("{}", p.resources.registers), fmt::format("{}", p.resources.local_bytes),
                          fmt::format("{:.2f}", p.occupancy)});
  }
  return table;
}

std::string family_figures(const std::vector<GpuCase>& cases, const std::vector<FamilyProfile>& list,
                           const CostTable& table) {
  std::string body;
  for (const GpuCase& one : cases) body += to_svg(ctpn_plot(one));
  body += to_svg(accuracy_plot(list, cases.front()));
  body += "<p>Each member by the variant of its weights that reaches furthest, in its worst direction.</p>\n";
  body += to_svg(traffic_plot(cases.front()));
  body += to_svg(cost_plot(table)) + cost_tables(table) + "<h2>Measured</h2>\n";
  for (const GpuCase& one : cases)
    body += fmt::format("<h3>{}</h3>\n", escape_html(title_of("CTPN", one))) + to_html(case_table(one));
  return body;
}

}  // namespace

Table literature_table(const GpuCase& one) {
  Table table{{"kernel", "paper", "stencil", "points", "order", "Gpts/s", "CTPN ns", "triad ns", "eff",
               "of copy with halo", "formula", "declared", "counted", "footprint", "tile"},
              {}};
  for (const study::LiteratureProfile& paper : one.literature) {
    const GpuProfile& p = paper.profile;
    std::vector<std::string> row = {p.kernel, paper.paper, p.stencil, fmt::format("{}", p.points),
                                    fmt::format("{}", paper.order)};
    if (!p.error.empty()) {
      row.push_back("failed: " + p.error);
      row.resize(table.head.size());
      table.rows.push_back(std::move(row));
      continue;
    }
    const auto counted = paper.counted();
    for (std::string& text : std::vector<std::string>{
             fmt::format("{:.2f}", p.gpts_per_second()), fmt::format("{:.5f}", p.ctpn.median_ns),
             fmt::format("{:.5f}", p.triad.median_ns), fmt::format("{:.2f}", p.eff()),
             p.roofs ? fmt::format("{:.2f}", p.roofs->copy_halo.median_ns / p.ctpn.median_ns) : "-",
             fmt::format("{:.3f}", paper.formula()), fmt::format("{:.3f}", paper.declared()),
             counted ? fmt::format("{:.3f}", *counted) : "-", fmt::format("{:.2f}", p.footprint_bytes),
             to_string(p.tile)})
      row.push_back(std::move(text));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string gpu_study(const std::vector<GpuCase>& cases, const std::vector<FamilyProfile>& list, const CostTable& table,
                      const std::string& device) {
  std::string body = fmt::format(
      "<p>{}. CTPN: time of a step over the number of grid points, the median of batches in turn with the leapfrog "
      "triad "
      "over the same arrays. KernelA and KernelB are those of Hamilton, Webb, Gray and Bilbao, DAFx-15, in blocks of "
      "32 x 4 x 2 threads.</p>\n",
      escape_html(device));
  if (!list.empty()) body += family_figures(cases, list, table);
  for (const GpuCase& one : cases) {
    if (one.literature.empty()) continue;
    Table table = literature_table(one);
    table.caption =
        "How often u1 is read a point: by the paper's formula, as the kernel declares it (with the planes that a march "
        "reads "
        "besides its own) and as counted. Footprint: bytes a point from and to DRAM.";
    body += fmt::format("<h2>{}</h2>\n", escape_html(title_of("Kernels of earlier papers", one))) + to_html(table);
  }
  return html_page("Large stencils on a GPU", body);
}

}  // namespace fdtd::cli
