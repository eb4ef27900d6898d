#include "engine/plan_label.hpp"

#include <fmt/format.h>

#include <bit>

namespace fdtd {
namespace {

// G. Fowler, L. C. Noll, K.-P. Vo, the FNV-1a hash, 64 bits, a word at a time.
class Fingerprint {
 public:
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3U, hash_ ^= hash_ >> 32; }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(int number) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))); }
  void add(double number) { add(std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(number) + 0.0F)}); }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  template <class List, class Function>
  void each(const List& list, const Function& function) {
    add(std::uint64_t{list.size()});
    for (const auto& one : list) function(one);
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

void add_stencil(Fingerprint& print, const Plan& plan) {
  const GridStencil& stencil = plan.stencil;
  print.add(static_cast<int>(stencil.family));
  print.add(stencil.radius);
  print.add(stencil.centre);
  for (const double courant : stencil.courant) print.add(courant);
  print.each(stencil.terms, [&](const auto& term) {
    print.add(term.weight);
    for (const int x : term.offset) print.add(x);
  });
  print.add(static_cast<int>(plan.time_dispersion_removal));
}

void add_air(Fingerprint& print, const Plan& plan) {
  const auto [nx, ny, nz] = plan.grid.size;
  print.add(static_cast<int>(plan.air.all_air()));
  if (plan.air.all_air()) return;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; x += 64) print.add(plan.air.bits(x, y, z));
}

void add_walls(Fingerprint& print, const Plan& plan) {
  const NearWall& near = plan.near_wall;
  print.each(near.entries, [&](const RowEntry& entry) {
    for (const auto x : entry.offset) print.add(static_cast<int>(x));
    print.add(entry.weight);
  });
  print.each(near.pattern_begin, [&](std::uint64_t begin) { print.add(begin); });
  print.each(near.segments, [&](const WallSegment& segment) {
    print.add(segment.node);
    print.add(std::uint64_t{segment.length} << 32 | segment.pattern);
  });
  print.each(near.masses, [&](const NodeMass& mass) {
    print.add(mass.node);
    print.add(mass.mass);
  });
  const Boundary& boundary = plan.boundary;
  print.each(boundary.laws, [&](const WallLaw& law) {
    print.add(law.inertance);
    print.add(law.axis);
    print.add(law.inward);
    print.each(law.taps, [&](double tap) { print.add(tap); });
    print.each(law.branches, [&](const LawBranch& branch) {
      for (const double value : {branch.D, branch.E, branch.F}) print.add(value);
    });
  });
  print.each(boundary.nodes, [&](std::uint64_t node) { print.add(node); });
  print.each(boundary.site_begin, [&](std::uint32_t begin) { print.add(std::uint64_t{begin}); });
  print.each(boundary.sites, [&](const BoundarySite& site) {
    print.add(std::uint64_t{site.law});
    print.add(site.weight);
  });
  print.each(boundary.inverse_mass, [&](double mass) { print.add(mass); });
}

void add_taps(Fingerprint& print, const std::vector<Tap>& taps) {
  print.each(taps, [&](const Tap& tap) {
    print.add(tap.name);
    print.each(tap.nodes, [&](std::uint64_t node) { print.add(node); });
    print.each(tap.weights, [&](double weight) { print.add(weight); });
  });
}

std::string list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

PlanLabel label_of(const Plan& plan) {
  PlanLabel label;
  label.precision = to_string(plan.precision);
  label.stencil = plan.stencil_name;
  for (std::size_t d = 0; d < 3; ++d) label.grid[d] = plan.grid.size[d];
  label.time_step = plan.grid.time_step;
  label.steps = plan.steps;
  for (const Tap& tap : plan.sources) label.sources.push_back(tap.name);
  for (const Tap& tap : plan.receivers) label.receivers.push_back(tap.name);
  label.state_nodes = plan.grid.nodes();
  label.state_branches = static_cast<std::int64_t>(plan.boundary.branch_begin.back());
  Fingerprint print;
  for (const int n : plan.grid.size) print.add(n);
  for (const double h : plan.grid.spacing) print.add(h);
  print.add(plan.grid.time_step);
  print.add(plan.grid.sound_speed);
  print.add(plan.drive_scale);
  print.add(plan.steps);
  print.add(plan.energy_interval);
  for (const double value : {plan.stop.decay_db, plan.stop.low, plan.stop.high}) print.add(value);
  add_stencil(print, plan);
  add_air(print, plan);
  add_walls(print, plan);
  add_taps(print, plan.sources);
  add_taps(print, plan.receivers);
  print.each(plan.snapshots, [&](const SnapshotPlan& one) {
    print.add(one.axis);
    print.add(one.index);
    print.each(one.steps, [&](std::int64_t step) { print.add(step); });
  });
  label.fingerprint = print.text();
  return label;
}

std::string difference(const PlanLabel& here, const PlanLabel& there) {
  const auto tell = [](const char* what, const auto& mine, const auto& theirs) {
    return fmt::format("{}: {} here, {} there", what, mine, theirs);
  };
  const auto size = [](const std::array<std::int64_t, 3>& n) { return fmt::format("{} x {} x {}", n[0], n[1], n[2]); };
  if (here.precision != there.precision) return tell("precision", here.precision, there.precision);
  if (here.stencil != there.stencil) return tell("stencil", here.stencil, there.stencil);
  if (here.grid != there.grid) return tell("grid", size(here.grid), size(there.grid));
  if (static_cast<float>(here.time_step) != static_cast<float>(there.time_step))
    return tell("time step", here.time_step, there.time_step);
  if (here.steps != there.steps) return tell("steps", here.steps, there.steps);
  if (here.sources != there.sources) return tell("sources", list(here.sources), list(there.sources));
  if (here.receivers != there.receivers) return tell("receivers", list(here.receivers), list(there.receivers));
  if (here.fingerprint != there.fingerprint || here.state_nodes != there.state_nodes ||
      here.state_branches != there.state_branches)
    return tell("walls, materials, positions, air or snapshots differ; fingerprint", here.fingerprint,
                there.fingerprint);
  return "";
}

}  // namespace fdtd
