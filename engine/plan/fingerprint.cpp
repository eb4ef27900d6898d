#include "engine/plan/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

#include "scenes/parallel_failure.hpp"

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
  std::uint64_t value() const { return hash_; }
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

void add_laws(Fingerprint& print, const std::vector<WallLaw>& laws) {
  print.each(laws, [&](const WallLaw& law) {
    print.add(law.inertance);
    print.add(law.axis);
    print.add(law.inward);
    print.each(law.taps, [&](double tap) { print.add(tap); });
    print.each(law.branches, [&](const LawBranch& branch) {
      for (const double value : {branch.D, branch.E, branch.F}) print.add(value);
    });
  });
}

// Of a pattern's entries: whatever number it has in the plan.
std::vector<std::uint64_t> pattern_prints(const NearWall& near) {
  std::vector<std::uint64_t> prints;
  for (std::size_t p = 0; p + 1 < near.pattern_begin.size(); ++p) {
    Fingerprint print;
    for (std::uint64_t e = near.pattern_begin[p]; e < near.pattern_begin[p + 1]; ++e) {
      for (const auto x : near.entries[e].offset) print.add(static_cast<int>(x));
      print.add(near.entries[e].weight);
    }
    prints.push_back(print.value());
  }
  return prints;
}

// Air and walls of a plane, nodes counted from its first.
class PlanePrint {
 public:
  PlanePrint(const Plan& plan, const std::vector<std::uint64_t>& patterns, int z)
      : plan_(plan), patterns_(patterns), z_(z) {
    nodes_ = static_cast<std::uint64_t>(plan.grid.size[0]) * static_cast<std::uint64_t>(plan.grid.size[1]);
    first_ = nodes_ * static_cast<std::uint64_t>(z);
  }
  std::uint64_t value() {
    add_air();
    add_near_wall();
    add_boundary();
    return print_.value();
  }

 private:
  // Those of an ordered list that lie on the plane.
  template <class List, class Node>
  std::span<const typename List::value_type> here(const List& list, const Node& node) const {
    const auto from = std::ranges::lower_bound(list, first_, {}, node);
    return {from, std::ranges::lower_bound(list, first_ + nodes_, {}, node)};
  }
  void add_air() {
    print_.add(static_cast<int>(plan_.air.all_air()));
    if (plan_.air.all_air()) return;
    for (int y = 0; y < plan_.grid.size[1]; ++y)
      for (int x = 0; x < plan_.grid.size[0]; x += 64) print_.add(plan_.air.bits(x, y, z_));
  }
  void add_near_wall() {
    print_.each(here(plan_.near_wall.segments, &WallSegment::node), [&](const WallSegment& segment) {
      print_.add(segment.node - first_);
      print_.add(std::uint64_t{segment.length});
      print_.add(patterns_[segment.pattern]);
    });
    print_.each(here(plan_.near_wall.masses, &NodeMass::node), [&](const NodeMass& mass) {
      print_.add(mass.node - first_);
      print_.add(mass.mass);
    });
  }
  void add_boundary() {
    const Boundary& walls = plan_.boundary;
    const auto nodes = here(walls.nodes, std::identity());
    const auto first = static_cast<std::size_t>(nodes.data() - walls.nodes.data());
    print_.add(std::uint64_t{nodes.size()});
    for (std::size_t i = first; i < first + nodes.size(); ++i) {
      print_.add(walls.nodes[i] - first_);
      print_.add(std::uint64_t{walls.site_begin[i + 1] - walls.site_begin[i]});
      for (std::uint32_t s = walls.site_begin[i]; s < walls.site_begin[i + 1]; ++s) {
        print_.add(std::uint64_t{walls.sites[s].law});
        print_.add(walls.sites[s].weight);
      }
      if (!walls.inverse_mass.empty()) print_.add(walls.inverse_mass[i]);
    }
  }

  const Plan& plan_;
  const std::vector<std::uint64_t>& patterns_;
  int z_;
  std::uint64_t nodes_ = 0, first_ = 0;
  Fingerprint print_;
};

void add_taps(Fingerprint& print, const std::vector<Tap>& taps) {
  print.each(taps, [&](const Tap& tap) {
    print.add(tap.name);
    print.each(tap.nodes, [&](std::uint64_t node) { print.add(node); });
    print.each(tap.weights, [&](double weight) { print.add(weight); });
  });
}

std::string list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

std::vector<std::uint64_t> wall_prints(const Plan& plan, int begin, int end) {
  const std::vector<std::uint64_t> patterns = pattern_prints(plan.near_wall);
  std::vector<std::uint64_t> prints(static_cast<std::size_t>(end - begin));
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (int z = begin; z < end; ++z)
    failure.guard([&] { prints[static_cast<std::size_t>(z - begin)] = PlanePrint(plan, patterns, z).value(); });
  failure.rethrow();
  return prints;
}

PlanLabel label_of(const Plan& plan) {
  return label_of(plan, plan.boundary.branch_begin.back(), wall_prints(plan, 0, plan.grid.size[2]));
}

PlanLabel label_of(const Plan& plan, std::uint64_t branches, const std::vector<std::uint64_t>& prints) {
  PlanLabel label;
  label.precision = to_string(plan.precision);
  label.stencil = plan.stencil_name;
  for (std::size_t d = 0; d < 3; ++d) label.grid[d] = plan.grid.size[d];
  label.time_step = plan.grid.time_step;
  label.steps = plan.steps;
  for (const Tap& tap : plan.sources) label.sources.push_back(tap.name);
  for (const Tap& tap : plan.receivers) label.receivers.push_back(tap.name);
  label.state_nodes = plan.grid.nodes();
  label.state_branches = static_cast<std::int64_t>(branches);
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
  add_laws(print, plan.boundary.laws);
  print.each(prints, [&](std::uint64_t plane) { print.add(plane); });
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
