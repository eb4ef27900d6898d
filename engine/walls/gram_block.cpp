#include "engine/walls/gram_block.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "base/error.hpp"

namespace fdtd {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Node = std::array<int, 3>;

constexpr std::array<Node, 6> axis_orders = {{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

// Orbits of pairs of the cube's nodes under its symmetries and exchange: a block has one value for each orbit.
class Orbits {
 public:
  explicit Orbits(int side) : side_(side), nodes_(side * side * side) {
    of_.assign(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_), -1);
    for (int p = 0; p < nodes_; ++p) {
      for (int q = 0; q < nodes_; ++q) {
        if (of(p, q) < 0) mark(p, q);
      }
    }
  }
  int side() const { return side_; }
  int nodes() const { return nodes_; }
  int of(int p, int q) const {
    return of_[static_cast<std::size_t>(p) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(q)];
  }
  Index count() const { return static_cast<Index>(first_.size()); }
  const std::array<int, 2>& first(Index orbit) const { return first_[static_cast<std::size_t>(orbit)]; }
  double size(Index orbit) const { return size_[static_cast<std::size_t>(orbit)]; }
  Node at(int node) const { return {node % side_, node / side_ % side_, node / (side_ * side_)}; }
  int number(const Node& at) const { return at[0] + side_ * (at[1] + side_ * at[2]); }

 private:
  // The image of a node under symmetry `g`, 0..47: axes reordered, then mirrored by the bits of g / 6.
  int image(int node, int g) const {
    const Node from = at(node);
    Node to{};
    for (std::size_t d = 0; d < 3; ++d) {
      to[d] = from[static_cast<std::size_t>(axis_orders[static_cast<std::size_t>(g % 6)][d])];
      if ((g / 6 >> d & 1) != 0) to[d] = side_ - 1 - to[d];
    }
    return number(to);
  }
  void mark(int p, int q) {
    const auto orbit = static_cast<int>(first_.size());
    first_.push_back({p, q});
    size_.push_back(0.0);
    for (int g = 0; g < 48; ++g) {
      const int a = image(p, g), b = image(q, g);
      for (const auto& [r, c] : {std::pair{a, b}, {b, a}}) {
        int& slot = of_[static_cast<std::size_t>(r) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(c)];
        if (slot < 0) size_.back() += 1.0;
        slot = orbit;
      }
    }
  }
  int side_, nodes_;
  std::vector<int> of_;
  std::vector<std::array<int, 2>> first_;
  std::vector<double> size_;
};

// Weight of K by sorted distance. The centre makes their sum zero, which a stencil rounded to float misses.
std::map<Node, double> weights_of_K(const GridStencil& stencil) {
  std::map<Node, double> weights;
  double sum = 0.0;
  for (const Term& term : stencil.terms) {
    Node distance = term.offset;
    std::sort(distance.begin(), distance.end());
    const auto [known, fresh] = weights.emplace(distance, -term.weight);
    if (!fresh && known->second != -term.weight) {
      throw Error(Status::scene, "walls: the block construction needs the same weights on all three axes");
    }
    sum -= term.weight * image_count(term);
  }
  weights[{0, 0, 0}] = -sum;
  return weights;
}

// Orthogonal projection on the matrices with the stencil's sums and B 1 = 0. Coordinates: value of an orbit times the
// square root of its size.
class Sums {
 public:
  Sums(const Orbits& orbits, const std::map<Node, double>& weights) {
    std::map<Node, Index> row_of;  // a row for each sorted distance, then one for each kind of node
    for (Index o = 0; o < orbits.count(); ++o)
      row_of.emplace(distance(orbits, orbits.first(o)), static_cast<Index>(row_of.size()));
    const auto distances = static_cast<Index>(row_of.size());
    std::map<int, Index> node_row;
    for (int p = 0; p < orbits.nodes(); ++p)
      node_row.emplace(orbits.of(p, p), distances + static_cast<Index>(node_row.size()));
    constraints_ = MatrixXd::Zero(distances + static_cast<Index>(node_row.size()), orbits.count());
    wanted_ = VectorXd::Zero(constraints_.rows());
    for (Index o = 0; o < orbits.count(); ++o)
      constraints_(row_of.at(distance(orbits, orbits.first(o))), o) = std::sqrt(orbits.size(o));
    for (const auto& [l, row] : row_of) {
      const auto weight = weights.find(l);
      if (weight != weights.end()) wanted_(row) = weight->second * points_at(l);
    }
    std::map<int, bool> done;
    for (int p = 0; p < orbits.nodes(); ++p) {
      if (!done.emplace(orbits.of(p, p), true).second) continue;
      for (int q = 0; q < orbits.nodes(); ++q) {
        constraints_(node_row.at(orbits.of(p, p)), orbits.of(p, q)) += 1.0 / std::sqrt(orbits.size(orbits.of(p, q)));
      }
    }
    inverse_ = constraints_.completeOrthogonalDecomposition().pseudoInverse();
  }
  void project(VectorXd& y) const { y += inverse_ * (wanted_ - constraints_ * y); }

 private:
  static Node distance(const Orbits& orbits, const std::array<int, 2>& pair) {
    const Node p = orbits.at(pair[0]), q = orbits.at(pair[1]);
    Node l{};
    for (std::size_t d = 0; d < 3; ++d) l[d] = std::abs(q[d] - p[d]);
    std::sort(l.begin(), l.end());
    return l;
  }
  static double points_at(Node l) {
    double points = 0.0;
    do {
      points += (l[0] == 0 ? 1 : 2) * (l[1] == 0 ? 1 : 2) * (l[2] == 0 ? 1 : 2);
    } while (std::next_permutation(l.begin(), l.end()));
    return points;
  }
  MatrixXd constraints_, inverse_;
  VectorXd wanted_;
};

// The matrices as four blocks: functions on the cube that are odd across the first k axes and even across the others,
// k = 0..3. (The other four parities are these with the axes exchanged.) A function is held by its values on one
// octant.
class Parities {
 public:
  explicit Parities(const Orbits& orbits) : orbits_(orbits) {
    const int half = (orbits.side() + 1) / 2;  // the octant: positions 0..half-1
    for (std::size_t k = 0; k < 4; ++k) {
      slot_[k].assign(static_cast<std::size_t>(orbits.nodes()), -1);
      for (int node = 0; node < orbits.nodes(); ++node) {
        const Node at = orbits.at(node);
        bool in = true;
        for (std::size_t d = 0; d < 3; ++d) in = in && at[d] < half && !(d < k && middle(at[d]));
        if (!in) continue;
        slot_[k][static_cast<std::size_t>(node)] = static_cast<int>(octant_[k].size());
        octant_[k].push_back(node);
      }
    }
  }

  MatrixXd block(std::size_t k, const VectorXd& value) const {
    const auto n = static_cast<Index>(octant_[k].size());
    MatrixXd block(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) {
        const int p = octant_[k][static_cast<std::size_t>(i)], q = octant_[k][static_cast<std::size_t>(j)];
        double sum = 0.0;
        for (int mirrors = 0; mirrors < 8; ++mirrors) {
          Node at = orbits_.at(q);
          double sign = 1.0;
          for (std::size_t d = 0; d < 3; ++d) {
            if ((mirrors >> d & 1) == 0) continue;
            at[d] = orbits_.side() - 1 - at[d];
            if (d < k) sign = -sign;
          }
          sum += sign * value(orbits_.of(p, orbits_.number(at)));
        }
        block(i, j) = block(j, i) = sum * std::sqrt(images(p) * images(q)) / 8.0;
      }
    }
    return block;
  }

  // The constant function in block 0, normalised.
  VectorXd constant() const {
    VectorXd v(static_cast<Index>(octant_[0].size()));
    for (Index i = 0; i < v.size(); ++i)
      v(i) = std::sqrt(images(octant_[0][static_cast<std::size_t>(i)]) / orbits_.nodes());
    return v;
  }

  // The value of an orbit in the matrix assembled from the blocks.
  double value(const std::array<MatrixXd, 4>& blocks, Index orbit) const {
    const auto [p, q] = orbits_.first(orbit);
    double sum = 0.0;
    for (std::size_t odd = 0; odd < 8; ++odd) {
      const Half a = half_of(p, odd), b = half_of(q, odd);
      if (a.slot >= 0 && b.slot >= 0) sum += a.sign * b.sign * blocks[a.block](a.slot, b.slot);
    }
    return sum / std::sqrt(images(p) * images(q));
  }

 private:
  struct Half {
    std::size_t block;
    int slot;  // -1: an odd function is zero there
    double sign;
  };
  // A node in the parity with odd axes `odd` (bits): its place in the block of that many odd axes.
  Half half_of(int node, std::size_t odd) const {
    const Node at = orbits_.at(node);
    Node folded{};
    std::size_t odd_next = 0, block = 0;
    for (std::size_t d = 0; d < 3; ++d) block += odd >> d & 1U;
    std::size_t even_next = block;
    double sign = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const int mirrored = orbits_.side() - 1 - at[d];
      const bool is_odd = (odd >> d & 1U) != 0U;
      if (is_odd && mirrored < at[d]) sign = -sign;
      folded[is_odd ? odd_next++ : even_next++] = std::min(at[d], mirrored);
    }
    return {block, slot_[block][static_cast<std::size_t>(orbits_.number(folded))], sign};
  }
  bool middle(int position) const { return 2 * position == orbits_.side() - 1; }
  double images(int node) const {  // of the node under the three mirrors
    double count = 1.0;
    for (const int position : orbits_.at(node)) count *= middle(position) ? 1.0 : 2.0;
    return count;
  }
  const Orbits& orbits_;
  std::array<std::vector<int>, 4> octant_, slot_;
};

struct Attempt {
  VectorXd value;  // by orbit
  double lowest = 0.0, highest = 0.0;
};

// Eigenvalues outside the bounds by so much, in units of 4 / side^3, count as rounding: at any step, and after the
// last.
constexpr double exact = 1e-14, close_enough = 1e-12;

std::optional<Attempt> find_block(const Orbits& orbits, const std::map<Node, double>& weights) {
  const Sums sums(orbits, weights);
  const Parities parities(orbits);
  const double top = 4.0 / orbits.nodes();
  const VectorXd constant = parities.constant();
  VectorXd root(orbits.count());
  for (Index o = 0; o < orbits.count(); ++o) root(o) = std::sqrt(orbits.size(o));
  VectorXd y = VectorXd::Zero(orbits.count());
  sums.project(y);
  // Bounds tightened a little are reached in finitely many steps; stencils at their limit leave no margin for that.
  constexpr int steps = 3000;
  for (const double margin : {1e-4 * top, 1e-7 * top, 0.0}) {
    for (int step = 0; step < steps; ++step) {
      Attempt attempt{y.cwiseQuotient(root), top, 0.0};
      std::array<MatrixXd, 4> blocks;
      for (std::size_t k = 0; k < 4; ++k) {
        MatrixXd block = parities.block(k, attempt.value);
        if (k == 0) block += 0.5 * top * constant * constant.transpose();  // keeps the constant within the bounds
        if (block.rows() == 0) continue;
        const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(block);
        const VectorXd& e = eigen.eigenvalues();
        attempt.lowest = std::min(attempt.lowest, e.minCoeff());
        attempt.highest = std::max(attempt.highest, e.maxCoeff());
        blocks[k] = eigen.eigenvectors() * e.cwiseMax(margin).cwiseMin(top - margin).asDiagonal() *
                    eigen.eigenvectors().transpose();
        if (k == 0) blocks[k] -= 0.5 * top * constant * constant.transpose();
      }
      const double beyond = std::max(-attempt.lowest, attempt.highest - top) / top;
      if (beyond <= exact || (beyond <= close_enough && margin == 0.0 && step == steps - 1)) return attempt;
      for (Index o = 0; o < orbits.count(); ++o) y(o) = parities.value(blocks, o) * root(o);
      sums.project(y);
    }
  }
  return std::nullopt;
}

std::shared_ptr<const GramBlock> make_block(const GridStencil& stencil, const std::map<Node, double>& weights) {
  for (int side = stencil.radius + 1; side <= stencil.radius + 3; ++side) {
    const Orbits orbits(side);
    const std::optional<Attempt> found = find_block(orbits, weights);
    if (!found) continue;
    auto block = std::make_shared<GramBlock>();
    block->side = side;
    block->lowest = found->lowest * orbits.nodes();
    block->highest = found->highest * orbits.nodes();
    for (int p = 0; p < orbits.nodes(); ++p) {
      for (int q = 0; q < orbits.nodes(); ++q) block->matrix.push_back(found->value(orbits.of(p, q)));
    }
    return block;
  }
  throw Error(Status::scene, "walls: no block construction was found for this stencil in a room with inner walls",
              "lower the Courant number a little, or take a stencil whose proof is run_fold or all_mask");
}

}  // namespace

std::shared_ptr<const GramBlock> gram_block(const GridStencil& stencil) {
  static std::mutex guard;
  static std::map<std::map<Node, double>, std::shared_ptr<const GramBlock>> known;
  const std::map<Node, double> weights = weights_of_K(stencil);
  const std::lock_guard lock(guard);
  std::shared_ptr<const GramBlock>& block = known[weights];
  if (!block) block = make_block(stencil, weights);
  return block;
}

}  // namespace fdtd
