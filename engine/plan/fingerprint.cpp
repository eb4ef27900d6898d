#include "engine/plan/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "base/parallel_failure.hpp"
#include "base/problem.hpp"

namespace fdtd {
namespace {

enum class Reals { rounded, exact };

// G. Fowler, L. C. Noll, K.-P. Vo, the FNV-1a hash, 64 bits, a word at a time.
class Hash {
 public:
  explicit Hash(Reals reals) : reals_(reals) {}
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3U, hash_ ^= hash_ >> 32; }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(int number) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))); }
  void add(double number) {
    add(reals_ == Reals::exact ? std::bit_cast<std::uint64_t>(number)
                               : std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(number) + 0.0F)});
  }
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
  Reals reals_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

void add_stencil(Hash& hash, const Plan& plan) {
  const GridStencil& stencil = plan.stencil;
  hash.add(static_cast<int>(stencil.family));
  hash.add(stencil.radius);
  hash.add(stencil.centre);
  for (const double courant : stencil.courant) hash.add(courant);
  hash.each(stencil.terms, [&](const auto& term) {
    hash.add(term.weight);
    for (const int x : term.offset) hash.add(x);
  });
  hash.add(static_cast<int>(plan.frequency_map.kind()));
  for (const double number : plan.frequency_map.numbers()) hash.add(number);
}

// To a millionth of its peak: what lies below is rounding, which processors differ in.
void add_signal(Hash& hash, const std::vector<double>& signal) {
  double peak = 0.0;
  for (const double f : signal) peak = std::max(peak, std::abs(f));
  hash.add(peak);
  hash.each(signal, [&](double f) { hash.add(std::int64_t{std::llround(peak > 0.0 ? 1e6 * f / peak : 0.0)}); });
}

void add_laws(Hash& hash, const std::vector<WallLaw>& laws) {
  hash.each(laws, [&](const WallLaw& law) {
    hash.add(law.inertance);
    hash.add(law.axis);
    hash.add(law.inward);
    hash.each(law.taps, [&](double tap) { hash.add(tap); });
    hash.each(law.branches, [&](const LawBranch& branch) { each_term([&](double term) { hash.add(term); }, branch); });
  });
}

// One hash for each pattern, of its entries: independent of the pattern's number in the plan.
std::vector<std::uint64_t> pattern_hashes(const NearWall& near, Reals reals) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t p = 0; p + 1 < near.pattern_begin.size(); ++p) {
    Hash hash(reals);
    for (std::uint64_t e = near.pattern_begin[p]; e < near.pattern_begin[p + 1]; ++e) {
      for (const auto x : near.entries[e].offset) hash.add(static_cast<int>(x));
      hash.add(near.entries[e].weight);
    }
    hashes.push_back(hash.value());
  }
  return hashes;
}

// Hash of the air and the walls on plane z; nodes are numbered from the first of the plane.
class PlaneHash {
 public:
  PlaneHash(const Plan& plan, const std::vector<std::uint64_t>& patterns, int z, Reals reals)
      : plan_(plan), patterns_(patterns), z_(z), hash_(reals) {
    nodes_ = static_cast<std::uint64_t>(plan.grid.size[0]) * static_cast<std::uint64_t>(plan.grid.size[1]);
    first_ = nodes_ * static_cast<std::uint64_t>(z);
  }
  std::uint64_t value() {
    add_air();
    add_near_wall();
    add_boundary();
    return hash_.value();
  }

 private:
  // The part of an ordered list that lies on the plane.
  template <class List, class Node>
  std::span<const typename List::value_type> here(const List& list, const Node& node) const {
    const auto from = std::ranges::lower_bound(list, first_, {}, node);
    return {from, std::ranges::lower_bound(list, first_ + nodes_, {}, node)};
  }
  void add_air() {
    hash_.add(static_cast<int>(plan_.air.all_air()));
    if (plan_.air.all_air()) return;
    for (int y = 0; y < plan_.grid.size[1]; ++y)
      for (int x = 0; x < plan_.grid.size[0]; x += 64) hash_.add(plan_.air.bits(x, y, z_));
  }
  void add_near_wall() {
    hash_.each(here(plan_.near_wall.segments, &WallSegment::node), [&](const WallSegment& segment) {
      hash_.add(segment.node - first_);
      hash_.add(std::uint64_t{segment.length});
      hash_.add(patterns_[segment.pattern]);
    });
    hash_.each(here(plan_.near_wall.masses, &NodeMass::node), [&](const NodeMass& mass) {
      hash_.add(mass.node - first_);
      hash_.add(mass.mass);
    });
  }
  void add_boundary() {
    const Boundary& walls = plan_.boundary;
    const auto nodes = here(walls.nodes, std::identity());
    const auto first = static_cast<std::size_t>(nodes.data() - walls.nodes.data());
    hash_.add(std::uint64_t{nodes.size()});
    for (std::size_t i = first; i < first + nodes.size(); ++i) {
      hash_.add(walls.nodes[i] - first_);
      hash_.add(std::uint64_t{walls.site_begin[i + 1] - walls.site_begin[i]});
      for (std::uint32_t s = walls.site_begin[i]; s < walls.site_begin[i + 1]; ++s) {
        hash_.add(std::uint64_t{walls.sites[s].law});
        hash_.add(walls.sites[s].weight);
      }
      if (!walls.inverse_mass.empty()) hash_.add(walls.inverse_mass[i]);
    }
  }

  const Plan& plan_;
  const std::vector<std::uint64_t>& patterns_;
  int z_;
  std::uint64_t nodes_ = 0, first_ = 0;
  Hash hash_;
};

void add_taps(Hash& hash, const std::vector<Tap>& taps) {
  hash.each(taps, [&](const Tap& tap) {
    hash.add(tap.channel.name);
    hash.each(tap.nodes, [&](std::uint64_t node) { hash.add(node); });
    hash.each(tap.weights, [&](double weight) { hash.add(weight); });
  });
}

std::string list(const std::vector<std::string>& names) { return listed(names); }

std::vector<std::uint64_t> plane_hashes(const Plan& plan, int begin, int end, Reals reals) {
  const std::vector<std::uint64_t> patterns = pattern_hashes(plan.near_wall, reals);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(end - begin));
  ParallelFailure failure;
  constexpr std::size_t few_nodes = 10000;  // beside walls
#pragma omp parallel for schedule(dynamic) if (plan.boundary.nodes.size() > few_nodes)
  for (int z = begin; z < end; ++z)
    failure.guard([&] { hashes[static_cast<std::size_t>(z - begin)] = PlaneHash(plan, patterns, z, reals).value(); });
  failure.rethrow();
  return hashes;
}

// Of everything that the steps depend on, walls by plane.
std::string whole_hash(const Plan& plan, const std::vector<std::uint64_t>& planes, Reals reals) {
  Hash hash(reals);
  for (const int n : plan.grid.size) hash.add(n);
  for (const double h : plan.grid.spacing) hash.add(h);
  hash.add(plan.grid.time_step);
  hash.add(plan.grid.sound_speed);
  hash.add(plan.drive_scale);
  hash.add(plan.steps);
  hash.add(plan.energy_interval);
  for (const double value : {plan.stop.decay_db, plan.stop.low, plan.stop.high}) hash.add(value);
  add_stencil(hash, plan);
  add_laws(hash, plan.boundary.laws);
  hash.each(planes, [&](std::uint64_t plane) { hash.add(plane); });
  add_taps(hash, plan.sources);
  add_taps(hash, plan.receivers);
  for (const JointPass& one : plan.joint) {
    hash.add(std::uint64_t{one.parts.first});
    hash.add(std::uint64_t{one.parts.count});
    for (const double number : {one.parts.fraction, one.band, one.zero, one.pole}) hash.add(number);
    hash.add(one.lead);
    if (one.cuts.empty()) continue;  // signals of patterns follow from these
    for (const std::vector<double>& signal : one.signals) add_signal(hash, signal);
  }
  hash.each(plan.snapshots, [&](const SnapshotPlan& one) {
    hash.add(one.axis);
    hash.add(one.index);
    hash.each(one.steps, [&](std::int64_t step) { hash.add(step); });
  });
  return hash.text();
}

}  // namespace

std::vector<std::uint64_t> wall_hashes(const Plan& plan, int begin, int end) {
  return plane_hashes(plan, begin, end, Reals::rounded);
}

std::string exact_print(const Plan& plan) {
  return fmt::format("{} {} {}", to_string(plan.precision), plan.stencil_name,
                     whole_hash(plan, plane_hashes(plan, 0, plan.grid.size[2], Reals::exact), Reals::exact));
}

PlanFingerprint fingerprint_of(const Plan& plan) {
  return fingerprint_of(plan, plan.boundary.branch_begin.back(), wall_hashes(plan, 0, plan.grid.size[2]));
}

PlanFingerprint fingerprint_of(const Plan& plan, std::uint64_t branches, const std::vector<std::uint64_t>& hashes) {
  PlanFingerprint fingerprint;
  fingerprint.precision = to_string(plan.precision);
  fingerprint.stencil = plan.stencil_name;
  for (std::size_t d = 0; d < 3; ++d) fingerprint.grid[d] = plan.grid.size[d];
  fingerprint.time_step = plan.grid.time_step;
  fingerprint.steps = plan.steps;
  for (const Tap& tap : plan.sources) fingerprint.sources.push_back(tap.channel.name);
  for (const Tap& tap : plan.receivers) fingerprint.receivers.push_back(tap.channel.name);
  for (const JointPass& one : plan.joint)
    for (std::size_t i = 1; i < one.parts.count; ++i) fingerprint.joined.push_back(one.parts.first + i);
  fingerprint.state_nodes = plan.grid.nodes();
  fingerprint.state_branches = static_cast<std::int64_t>(branches);
  fingerprint.hash = whole_hash(plan, hashes, Reals::rounded);
  return fingerprint;
}

std::string difference(const PlanFingerprint& here, const PlanFingerprint& there) {
  const auto differ = [](const char* what, const auto& mine, const auto& theirs) {
    return fmt::format("{}: {} here, {} there", what, mine, theirs);
  };
  const auto size = [](const std::array<std::int64_t, 3>& n) { return fmt::format("{} x {} x {}", n[0], n[1], n[2]); };
  if (here.precision != there.precision) return differ("precision", here.precision, there.precision);
  if (here.stencil != there.stencil) return differ("stencil", here.stencil, there.stencil);
  if (here.grid != there.grid) return differ("grid", size(here.grid), size(there.grid));
  if (static_cast<float>(here.time_step) != static_cast<float>(there.time_step))
    return differ("time step", here.time_step, there.time_step);
  if (here.steps != there.steps) return differ("steps", here.steps, there.steps);
  if (here.sources != there.sources) return differ("sources", list(here.sources), list(there.sources));
  if (here.receivers != there.receivers) return differ("receivers", list(here.receivers), list(there.receivers));
  if (here.hash != there.hash || here.state_nodes != there.state_nodes || here.state_branches != there.state_branches)
    return differ("walls, materials, positions, air or snapshots differ; fingerprint", here.hash, there.hash);
  return "";
}

}  // namespace fdtd
