#include "engine/rank_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/error.hpp"

namespace fdtd {
namespace {

template <class Value>
std::vector<Value> values_of(const std::vector<std::byte>& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Everybody's values, rank after rank.
template <class Value>
std::vector<std::vector<Value>> gather(Ranks& ranks, const std::vector<Value>& mine) {
  std::vector<std::vector<Value>> all;
  for (const auto& bytes : ranks.gather(std::as_bytes(std::span(mine)))) all.push_back(values_of<Value>(bytes));
  return all;
}

class RankBackend final : public Backend {
 public:
  RankBackend(std::unique_ptr<Backend> own, Ranks& ranks) : own_(std::move(own)), ranks_(ranks) {}

  void load(const Plan& plan, const Slab&) override {
    plan_ = &plan;
    const std::vector<Slab> slabs = split(plan, ranks_.size());
    part_ = cut(plan, slabs[static_cast<std::size_t>(ranks_.rank())]);
    heard_by_.clear();
    for (const Slab& slab : slabs) heard_by_.push_back(receiver_parts(plan, slab));
    own_->load(part_.plan, part_.slab);
    ranks_.wait_for_all();
  }

  // What a receiver hears is added in the order of z: ranks and, within, layers.
  void advance(const Drive& drive, Samples& samples) override {
    Samples heard;
    own_->advance(drive, heard);
    const auto steps = static_cast<std::size_t>(drive.steps);
    samples.steps = drive.steps;
    samples.p.assign(plan_->receivers.size() * steps, 0.0);
    const auto all = gather(ranks_, heard.p);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      for (std::size_t part = 0; part < heard_by_[rank].size(); ++part)
        for (std::size_t n = 0; n < steps; ++n)
          samples.p[heard_by_[rank][part] * steps + n] += all[rank][part * steps + n];
  }

  std::vector<Energy> energies() const override {
    std::vector<Energy> layers;
    for (const auto& part : gather(ranks_, own_->energies())) layers.insert(layers.end(), part.begin(), part.end());
    return layers;
  }

  // The lowest node that is not finite, or the largest; of equals the lowest.
  Extreme extreme() const override {
    Extreme mine = own_->extreme();
    mine.node += first_node() - part_.own_nodes_begin;
    Extreme most;
    for (const auto& part : gather(ranks_, std::vector<Extreme>{mine})) {
      if (!std::isfinite(part[0].value)) return part[0];
      if (part[0].value > most.value) most = part[0];
    }
    return most;
  }

  // A plane across z is one rank's; of others every rank has a piece, in the order of z.
  void plane(int axis, int index, std::span<float> values) const override {
    std::vector<float> mine;
    const Slab& slab = part_.slab;
    const auto [nx, ny, nz] = part_.plan.grid.size;
    const auto row = static_cast<std::size_t>(axis == 0 ? ny : nx);
    if (axis < 2) {
      mine.resize(row * static_cast<std::size_t>(nz));
      own_->plane(axis, index, mine);
      mine.erase(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(row) * slab.ghosts_below);
      mine.resize(row * static_cast<std::size_t>(slab.planes()));
    } else if (index >= slab.z_begin && index < slab.z_end) {
      mine.resize(row * static_cast<std::size_t>(ny));
      own_->plane(axis, index - slab.first_plane(), mine);
    }
    auto at = values.begin();
    for (const auto& part : gather(ranks_, mine)) at = std::ranges::copy(part, at).out;
  }

  void save(State& state) const override {
    own_->save(state);
    const std::size_t value = value_bytes();
    keep(state.u_now, part_.own_nodes_begin * value, part_.own_nodes_end * value);
    keep(state.u_before, part_.own_nodes_begin * value, part_.own_nodes_end * value);
    keep(state.velocity, part_.own_branches_begin * value, part_.own_branches_end * value);
    keep(state.displacement, part_.own_branches_begin * value, part_.own_branches_end * value);
    for (auto* sums : {&state.injected, &state.dissipated}) {
      std::vector<double> layers;
      for (const auto& part : gather(ranks_, *sums)) layers.insert(layers.end(), part.begin(), part.end());
      *sums = std::move(layers);
    }
    for (auto* bytes : {&state.u_now, &state.u_before, &state.velocity, &state.displacement}) bring_to_first(*bytes);
  }

  void restore(const State& state) override {
    State mine;
    mine.precision = state.precision;
    mine.step = state.step;
    if (!state.u_now.empty()) {
      const std::uint64_t first = first_node() - part_.own_nodes_begin;
      const std::vector<SlabPlan::Range> nodes{{first, first + static_cast<std::uint64_t>(part_.plan.grid.nodes())}};
      mine.u_now = piece(state.u_now, nodes);
      mine.u_before = piece(state.u_before, nodes);
      mine.velocity = piece(state.velocity, part_.branches);
      mine.displacement = piece(state.displacement, part_.branches);
      const int planes = plan_->grid.size[2];
      const auto begin = static_cast<std::ptrdiff_t>(layer_of(part_.slab.z_begin, planes));
      const auto end = static_cast<std::ptrdiff_t>(layer_of(part_.slab.z_end - 1, planes)) + 1;
      mine.injected.assign(state.injected.begin() + begin, state.injected.begin() + end);
      mine.dissipated.assign(state.dissipated.begin() + begin, state.dissipated.begin() + end);
    }
    own_->restore(mine);
  }

  // Of the slowest.
  Timing profile(int repeats) override {
    Timing timing = own_->profile(repeats);
    for (const auto& other : gather(ranks_, std::vector<double>{timing.seconds_per_step}))
      timing.seconds_per_step = std::max(timing.seconds_per_step, other[0]);
    timing.ctpn_ns = timing.seconds_per_step / static_cast<double>(plan_->grid.nodes()) * 1e9;
    timing.triad_ctpn_ns /= static_cast<double>(ranks_.size());
    return timing;
  }

  std::int64_t step() const override { return own_->step(); }
  std::string describe() const override { return fmt::format("{} ranks, of each {}", ranks_.size(), own_->describe()); }

 private:
  std::size_t value_bytes() const { return plan_->precision == Precision::f32 ? sizeof(float) : sizeof(double); }
  std::uint64_t first_node() const {
    return static_cast<std::uint64_t>(plan_->grid.size[0]) * static_cast<std::uint64_t>(plan_->grid.size[1]) *
           static_cast<std::uint64_t>(part_.slab.z_begin);
  }

  static void keep(std::vector<std::byte>& bytes, std::size_t begin, std::size_t end) {
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end());
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  // Everybody's, in order, at rank 0; nothing is left at the others.
  void bring_to_first(std::vector<std::byte>& bytes) const {
    const auto sizes = gather(ranks_, std::vector<std::uint64_t>{bytes.size()});
    if (!ranks_.first()) {
      ranks_.send(0, bytes);
      bytes = {};
      return;
    }
    std::size_t total = 0, at = bytes.size();
    for (const auto& size : sizes) total += size[0];
    bytes.resize(total);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      const std::size_t size = sizes[static_cast<std::size_t>(rank)][0];
      ranks_.receive(rank, std::span(bytes).subspan(at, size));
      at += size;
    }
  }

  std::vector<std::byte> piece(const std::vector<std::byte>& bytes, const std::vector<SlabPlan::Range>& ranges) const {
    const std::size_t value = value_bytes();
    std::vector<std::byte> mine;
    for (const auto& range : ranges) {
      if (range.end * value > bytes.size()) throw Error(Status::file, "the state does not fit the plan");
      mine.insert(mine.end(), bytes.begin() + static_cast<std::ptrdiff_t>(range.begin * value),
                  bytes.begin() + static_cast<std::ptrdiff_t>(range.end * value));
    }
    return mine;
  }

  std::unique_ptr<Backend> own_;
  Ranks& ranks_;
  const Plan* plan_ = nullptr;
  SlabPlan part_;
  std::vector<std::vector<std::size_t>> heard_by_;  // receiver_of, by rank
};

}  // namespace

std::unique_ptr<Backend> make_rank_backend(std::unique_ptr<Backend> own, Ranks& ranks) {
  return std::make_unique<RankBackend>(std::move(own), ranks);
}

}  // namespace fdtd
