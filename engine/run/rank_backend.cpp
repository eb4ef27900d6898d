#include "engine/run/rank_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"

namespace fdtd {
namespace {

template <class Value>
std::vector<Value> values_of(const std::vector<std::byte>& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The values of all ranks, rank after rank.
template <class Value>
std::vector<std::vector<Value>> gather(Ranks& ranks, const std::vector<Value>& mine) {
  std::vector<std::vector<Value>> all;
  for (const auto& bytes : ranks.gather(std::as_bytes(std::span(mine)))) all.push_back(values_of<Value>(bytes));
  return all;
}

class RankBackend final : public Backend {
 public:
  RankBackend(std::unique_ptr<Backend> own, Ranks& ranks, const PlanPart* part)
      : own_(std::move(own)), ranks_(ranks), given_(part) {}

  void load(const Plan& plan, const Slab&) override {
    plan_ = &plan;
    if (given_ == nullptr) made_ = part_of(plan, plane_counts(plan), ranks_.size(), ranks_.rank());
    received_by_.clear();
    for (const Slab& slab : shared().slabs) received_by_.push_back(receiver_parts(plan, slab));
    ranks_.wait_for_all();  // for files that rank 0 prepares
    own_->load(held().plan, held().slab);
    ranks_.wait_for_all();
  }

  void advance(const Drive& drive, Samples& samples) override {
    Samples received;
    own_->advance(drive, received);
    add_parts(received, samples);
  }
  void read_walls(const Drive& drive, Samples& samples, std::byte* rows) override {
    Samples received;
    own_->read_walls(drive, received, rows);
    add_parts(received, samples);
  }
  // Walls across a border are read by one rank and solved by two: the host correlates them.
  WallReads wall_reads() const override {
    const WallReads own = own_->wall_reads();
    return own == WallReads::correlated ? WallReads::by_recorders : own;
  }
  // The nodes of this rank alone, without ghosts.
  std::vector<std::uint32_t> wall_row() override {
    const std::vector<std::uint64_t>&part = held().plan.boundary.nodes, &all = plan_->boundary.nodes;
    const auto place = [](const std::vector<std::uint64_t>& nodes, std::uint64_t node) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
    };
    const std::uint32_t begin = place(part, held().own_nodes_begin), end = place(part, held().own_nodes_end),
                        first = place(all, first_node());
    std::vector<std::uint32_t> row = own_->wall_row();
    for (std::uint32_t& node : row) node = node >= begin && node < end ? node - begin + first : no_wall_node;
    return row;
  }
  int host_threads() const override { return own_->host_threads(); }
  void save_own(State& state) const override { own_->save(state); }
  void restore_own(const State& state) override { own_->restore(state); }
  void add_ranks(std::span<double> values) const override {
    const auto all = gather(ranks_, std::vector<double>(values.begin(), values.end()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 0.0;
      for (const auto& part : all) values[i] += part[i];
    }
  }
  void largest_of_ranks(std::span<double> values) const override {
    for (const auto& part : gather(ranks_, std::vector<double>(values.begin(), values.end())))
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], part[i]);
  }

  std::vector<Energy> energies() const override {
    std::vector<Energy> layers;
    for (const auto& part : gather(ranks_, own_->energies())) layers.insert(layers.end(), part.begin(), part.end());
    return layers;
  }

  // The lowest node that is not finite, or the one with the largest value; of equal ones the lowest.
  Extreme extreme() const override {
    Extreme mine = own_->extreme();
    mine.node += first_node() - held().own_nodes_begin;
    Extreme most;
    for (const auto& part : gather(ranks_, std::vector<Extreme>{mine})) {
      if (!std::isfinite(part[0].value)) return part[0];
      if (part[0].value > most.value) most = part[0];
    }
    return most;
  }

  // A plane across z belongs to one rank; of other planes every rank holds a piece, in the order of z.
  void plane(int axis, int index, std::span<float> values) const override {
    std::vector<float> mine;
    const Slab& slab = held().slab;
    const auto [nx, ny, nz] = held().plan.grid.size;
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
    state = this->state();
    const auto nodes = static_cast<std::uint64_t>(plan_->grid.nodes()), branches = shared().branches;
    for (const StatePart part : state_parts) state.array(part) = state.read(part, 0, is_field(part) ? nodes : branches);
    state.read = nullptr;
  }

  State state() const override {
    State state = own_->state();
    for (auto* sums : {&state.injected, &state.dissipated}) {
      std::vector<double> layers;
      for (const auto& part : gather(ranks_, *sums)) layers.insert(layers.end(), part.begin(), part.end());
      *sums = std::move(layers);
    }
    const auto owners = gather(ranks_, std::vector<Owned>{owned()});
    state.read = [this, owners, read = std::move(state.read)](StatePart part, std::uint64_t first,
                                                              std::uint64_t count) {
      return bring_to_first(owners, read, part, first, count);
    };
    return state;
  }

  void restore(const State& state) override {
    State mine;
    mine.precision = state.precision;
    mine.step = state.step;
    if (!state.silent()) {
      const std::uint64_t first = first_node() - held().own_nodes_begin;
      const std::vector<SlabPlan::Range> nodes{{first, first + static_cast<std::uint64_t>(held().plan.grid.nodes())}};
      mine.read = [this, &state, nodes](StatePart part, std::uint64_t begin, std::uint64_t count) {
        return piece(state, part, is_field(part) ? nodes : held().branches, begin, count);
      };
      const int planes = plan_->grid.size[2];
      const auto begin = static_cast<std::ptrdiff_t>(layer_of(held().slab.z_begin, planes));
      const auto end = static_cast<std::ptrdiff_t>(layer_of(held().slab.z_end - 1, planes)) + 1;
      mine.injected.assign(state.injected.begin() + begin, state.injected.begin() + end);
      mine.dissipated.assign(state.dissipated.begin() + begin, state.dissipated.begin() + end);
    }
    own_->restore(mine);
  }

  // Of the slowest rank.
  Timing profile(int repeats) override {
    Timing timing = own_->profile(repeats);
    for (const auto& other : gather(ranks_, std::vector<double>{timing.seconds_per_step}))
      timing.seconds_per_step = std::max(timing.seconds_per_step, other[0]);
    timing.ctpn_ns = timing.seconds_per_step / static_cast<double>(plan_->grid.nodes()) * 1e9;
    timing.triad_ctpn_ns /= static_cast<double>(ranks_.size());
    return timing;
  }

  std::int64_t step() const override { return own_->step(); }
  std::string describe() const override { return fmt::format("{} ranks, each {}", ranks_.size(), own_->describe()); }

 private:
  // The contributions to a receiver are added in the order of z: by rank, and within a rank by layer.
  void add_parts(const Samples& received, Samples& samples) const {
    const auto steps = static_cast<std::size_t>(received.steps);
    samples.steps = received.steps;
    samples.p.assign(plan_->receivers.size() * steps, 0.0);
    const auto all = gather(ranks_, received.p);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      for (std::size_t part = 0; part < received_by_[rank].size(); ++part)
        for (std::size_t n = 0; n < steps; ++n)
          samples.p[received_by_[rank][part] * steps + n] += all[rank][part * steps + n];
  }

  const PlanPart& shared() const { return given_ != nullptr ? *given_ : made_; }
  const SlabPlan& held() const { return shared().own; }
  std::size_t value_bytes() const { return plan_->precision == Precision::f32 ? sizeof(float) : sizeof(double); }
  std::uint64_t first_node() const {
    return static_cast<std::uint64_t>(plan_->grid.size[0]) * static_cast<std::uint64_t>(plan_->grid.size[1]) *
           static_cast<std::uint64_t>(held().slab.z_begin);
  }

  static bool is_field(StatePart part) { return part == StatePart::u_now || part == StatePart::u_before; }

  // The nodes and branches of the whole plan that belong to this rank.
  struct Owned {
    SlabPlan::Range nodes, branches;
    const SlabPlan::Range& of(StatePart part) const { return is_field(part) ? nodes : branches; }
  };
  Owned owned() const {
    const std::uint64_t first = first_node(), nodes = held().own_nodes_end - held().own_nodes_begin;
    std::uint64_t own = held().own_branches_begin;  // in the plan of the slab, then in the whole one
    const std::uint64_t count = held().own_branches_end - own;
    for (const SlabPlan::Range& range : held().branches) {
      if (own < range.end - range.begin)
        return {{first, first + nodes}, {range.begin + own, range.begin + own + count}};
      own -= range.end - range.begin;
    }
    return {{first, first + nodes}, {0, 0}};
  }

  // The values of the whole array at rank 0, none at the others: every rank sends its part.
  template <class Read>
  std::vector<std::byte> bring_to_first(const std::vector<std::vector<Owned>>& owners, const Read& read, StatePart part,
                                        std::uint64_t first, std::uint64_t count) const {
    std::vector<std::byte> all;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const SlabPlan::Range& own = owners[static_cast<std::size_t>(rank)][0].of(part);
      const std::uint64_t begin = std::max(first, own.begin), end = std::min(first + count, own.end);
      if (begin >= end) continue;
      std::vector<std::byte> mine;
      if (rank == ranks_.rank())
        mine = read(part, begin - own.begin + (is_field(part) ? held().own_nodes_begin : held().own_branches_begin),
                    end - begin);
      if (rank == 0 && ranks_.first()) {
        all = std::move(mine);
      } else if (ranks_.first()) {
        const std::size_t at = all.size(), bytes = static_cast<std::size_t>(end - begin) * value_bytes();
        all.resize(at + bytes);
        ranks_.receive(rank, std::span(all).subspan(at));
      } else if (rank == ranks_.rank()) {
        ranks_.send(0, mine);
      }
    }
    return all;
  }

  // Values [begin, begin + count) of the concatenated ranges.
  static std::vector<std::byte> piece(const State& state, StatePart part, const std::vector<SlabPlan::Range>& ranges,
                                      std::uint64_t begin, std::uint64_t count) {
    std::vector<std::byte> mine;
    for (const SlabPlan::Range& range : ranges) {
      const std::uint64_t length = range.end - range.begin, taken = std::min(count, length - std::min(begin, length));
      if (taken > 0) {
        const std::vector<std::byte> some = state.values(part, range.begin + begin, taken);
        mine.insert(mine.end(), some.begin(), some.end());
      }
      begin -= std::min(begin, length);
      count -= taken;
    }
    if (count > 0) throw Error(Status::file, "the state does not fit the plan");
    return mine;
  }

  std::unique_ptr<Backend> own_;
  Ranks& ranks_;
  const Plan* plan_ = nullptr;
  const PlanPart* given_;
  PlanPart made_;                                      // where none is given
  std::vector<std::vector<std::size_t>> received_by_;  // receiver_of, by rank
};

}  // namespace

std::unique_ptr<Backend> make_rank_backend(std::unique_ptr<Backend> own, Ranks& ranks, const PlanPart* part) {
  if (ranks.alone() && part == nullptr) return own;
  return std::make_unique<RankBackend>(std::move(own), ranks, part);
}

}  // namespace fdtd
