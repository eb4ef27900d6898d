// Blocks of groups along an edge against the same groups one by one: equal bits.
#include <array>
#include <cstring>
#include <random>

#include "engine/cpu/field/row_stencil.hpp"
#include "engine/vector/kernels.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cpu;

namespace {

struct EdgeShape {
  std::array<int, 2> taps, branches;
  int inward;  // along x
  int groups;
};

// Walls of random constants, whose places beyond the taps are zero as in coupled_tables.hpp, and a random field.
template <class T>
class EdgeRoom {
 public:
  explicit EdgeRoom(const EdgeShape& shape) : shape_(shape), field_(row * rows) {
    fill(field_, field_.size());
    for (std::size_t w = 0; w < 2; ++w) {
      const auto taps = static_cast<std::size_t>(shape.taps[w]), sites = static_cast<std::size_t>(shape.taps[1 - w]);
      const auto branches = static_cast<std::size_t>(shape.branches[w]);
      tap_[w].resize(group_lanes), constants_[w].resize(9 * group_lanes);
      rules_[w].resize(branch_coefficients * group_lanes * branches), E_[w].resize(group_lanes * branches);
      fill(tap_[w], taps);
      tap_[w][0] = T(1.2);  // as of all walls: sums over lanes without nodes are +0
      for_each_eight(constants_[w], sites);
      for_each_eight(rules_[w], sites);
      for_each_eight(E_[w], sites);
      kind_.wall[w] = {w == 0 ? shape.inward : static_cast<std::ptrdiff_t>(plane),
                       shape.taps[w],
                       1,
                       shape.branches[w],
                       T(0.9),
                       T(1.1),
                       tap_[w].data(),
                       constants_[w].data(),
                       rules_[w].data(),
                       E_[w].data()};
    }
    fill(inverse_, 4);
    kind_.walls = 2;
    kind_.inverse = inverse_.data();
    for (int g = 0; g < shape.groups; ++g) {
      for (std::size_t w = 0; w < 2; ++w) {
        const auto sites = static_cast<std::size_t>(shape.taps[1 - w]);
        add_eight(q_, sites);
        for (std::size_t b = 0; b < branch_state_size * static_cast<std::size_t>(shape.branches[w]); ++b)
          add_eight(state_, sites);
      }
    }
  }

  // Field, q, state in the layout of single groups, and energies, after some steps.
  struct Result {
    std::vector<T> field, q, state;
    std::vector<double> lost;
  };

  Result one_by_one(const RowFunctions<T>& functions) {
    Result r{field_, q_, state_, {}};
    kind_.in_blocks = false;
    for (int step = 0; step < steps; ++step)
      for (int g = 0; g < shape_.groups; ++g) r.lost.push_back(functions.update_coupled(group(r, g)));
    return r;
  }

  Result in_block(const RowFunctions<T>& functions) {
    Result r{field_, {}, {}, {}};
    kind_.in_blocks = true;
    std::vector<T> q(q_.size() / group_lanes / groups() * lanes), state(state_.size() / group_lanes / groups() * lanes);
    exchange(q_, q, true);
    exchange(state_, state, true);
    Coupled<T> block{&kind_, r.field.data() + first(), state.data(), q.data(), shape_.groups};
    block.next = row;
    for (int step = 0; step < steps; ++step) {
      std::array<double, block_groups> lost{};
      block.lost = lost.data();
      functions.update_coupled(block);
      r.lost.insert(r.lost.end(), lost.begin(), lost.begin() + shape_.groups);
    }
    r.q.resize(q_.size()), r.state.resize(state_.size());
    exchange(r.q, q, false);
    exchange(r.state, state, false);
    // The taps read of the field the sums that the update left.
    std::vector<T> read(q.size());
    block.q = read.data();
    functions.read_coupled(block);
    CHECK(std::memcmp(read.data(), q.data(), q.size() * sizeof(T)) == 0);
    return r;
  }

 private:
  static constexpr std::size_t row = 24, plane = row * 6, rows = 6 * 6, lanes = std::size_t{block_groups} * block_lanes;
  static constexpr int steps = 3;
  std::size_t groups() const { return static_cast<std::size_t>(shape_.groups); }
  std::ptrdiff_t first() const { return row + 9; }
  Coupled<T> group(Result& r, int g) const {
    const auto each = [&](std::vector<T>& of) {
      return of.data() + of.size() / groups() * static_cast<std::size_t>(g);
    };
    return {&kind_, r.field.data() + first() + g * static_cast<std::ptrdiff_t>(row), each(r.state), each(r.q), 1};
  }
  // Rows of eight values, group after group, to or from rows of a block.
  void exchange(std::vector<T>& alone, std::vector<T>& block, bool to_block) const {
    const std::size_t of_group = alone.size() / group_lanes / groups();
    for (std::size_t g = 0; g < groups(); ++g)
      for (std::size_t r = 0; r < of_group; ++r)
        for (std::size_t l = 0; l < block_lanes; ++l) {
          T& a = alone[(g * of_group + r) * group_lanes + l];
          T& b = block[r * lanes + g * block_lanes + l];
          (to_block ? b : a) = to_block ? a : b;
        }
  }
  template <class Values>
  void fill(Values& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values[i] = std::uniform_real_distribution<T>(T(-0.7), T(0.7))(random_);
  }
  template <class Value>
  void for_each_eight(std::vector<Value>& values, std::size_t sites) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = i % group_lanes < sites ? std::uniform_real_distribution<Value>(Value(0.1), Value(0.7))(random_) : 0;
  }
  void add_eight(std::vector<T>& values, std::size_t sites) {
    std::vector<T> eight(group_lanes);
    fill(eight, sites);
    values.insert(values.end(), eight.begin(), eight.end());
  }

  EdgeShape shape_;
  std::mt19937 random_{5};
  std::vector<T> field_, q_, state_;
  std::array<std::vector<T>, 2> tap_, constants_, rules_;
  std::array<std::vector<double>, 2> E_;
  std::array<T, 4> inverse_{};
  CoupledKind<T> kind_{};
};

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

template <class T>
void check_block(const Kernel& kernel, const EdgeShape& shape) {
  CAPTURE(kernel.instruction_set, sizeof(T), shape.taps, shape.branches, shape.inward, shape.groups);
  const GridStencil stencil = on_grid(*find_stencil("leggy-1"), {0.5, 0.5, 0.5});
  const Layout layout({24, 8, 8}, stencil.radius, sizeof(T));
  const RowStencilStore<T> store(stencil, layout);
  const RowFunctions<T> functions = functions_of(kernel, store.view());
  EdgeRoom<T> room(shape);
  const auto truth = room.one_by_one(functions), got = room.in_block(functions);
  CHECK(same_bits(got.field, truth.field));
  CHECK(same_bits(got.q, truth.q));
  CHECK(same_bits(got.state, truth.state));
  CHECK(same_bits(got.lost, truth.lost));
}

}  // namespace

TEST_CASE("groups along an edge have the same bits in blocks as one by one") {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.runs_here()) continue;
    for (const std::array<int, 2> taps : {std::array{2, 2}, {1, 3}, {3, 3}, {3, 2}, {2, 4}, {4, 4}}) {
      for (const int inward : {-1, 1}) {
        for (int groups = 1; groups <= block_groups; ++groups) {
          const EdgeShape shape{taps, {groups, 3}, inward, groups};
          check_block<float>(kernel, shape);
          check_block<double>(kernel, shape);
        }
      }
    }
  }
}
