#include "engine/transducers/wall_layer.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace fdtd {
namespace {

constexpr Eigen::Index layer_nodes = 32;
constexpr double negligible = 1e-4;  // of a cell, in the field s

// In front of a wall, on the nodes 0, 1, ..., layer_nodes - 1 and zero beyond: (K - K(k)) v - beta b = -residual, solved
// for v and beta.
class Layer {
 public:
  Layer(const NormalSymbol& symbol, std::span<const double> taps, double k) : symbol_(symbol), own_(2.0 - symbol(k)) {
    const auto radius = static_cast<Eigen::Index>(symbol.weights.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(layer_nodes + radius, layer_nodes + 1);
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      visit(i, [&](Eigen::Index node, double weight) {
        if (node < layer_nodes) matrix(i, node) += weight;
      });
      if (i < static_cast<Eigen::Index>(taps.size())) matrix(i, layer_nodes) = -taps[static_cast<std::size_t>(i)];
    }
    solver_.compute(matrix);
    rows_ = matrix.rows();
  }
  // `field`: of the nodes 0, 1, ...; `source`: what (K - K(k)) field should be far from the wall.
  template <class Field, class Source>
  std::vector<double> solve(const Field& field, const Source& source) const {
    Eigen::VectorXd residual(rows_);
    for (Eigen::Index i = 0; i < rows_; ++i) {
      residual[i] = source(i);
      visit(i, [&](Eigen::Index node, double weight) { residual[i] -= weight * field(node); });
    }
    const Eigen::VectorXd v = solver_.solve(residual);
    return {v.data(), v.data() + layer_nodes};
  }

 private:
  // The row i of K - K(k), folded at the wall.
  template <class Visit>
  void visit(Eigen::Index i, const Visit& each) const {
    each(i, 2.0 - symbol_.centre - own_);
    for (std::size_t m = 1; m <= symbol_.weights.size(); ++m) {
      const auto steps = static_cast<Eigen::Index>(m);
      each(i + steps, -symbol_.weights[m - 1]);
      each(i >= steps ? i - steps : steps - i - 1, -symbol_.weights[m - 1]);
    }
  }
  NormalSymbol symbol_;
  double own_;  // K(k)
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver_;
  Eigen::Index rows_ = 0;
};

double place(Eigen::Index node) { return static_cast<double>(node) + 0.5; }

}  // namespace

WallLayer::WallLayer(const NormalSymbol& symbol, std::span<const double> taps, std::span<const double> waves) {
  const auto nothing = [](Eigen::Index) { return 0.0; };
  for (const double k : waves)
    wave_.push_back(Layer(symbol, taps, k).solve([&](Eigen::Index i) { return std::sin(k * place(i)); }, nothing));
  // Long waves: sin(k s) = k s - k^3 s^3 / 6, K(k) = slope k^2 up to higher powers.
  const Layer still(symbol, taps, 0.0);
  linear_ = still.solve(place, nothing);
  double slope = 0.0;
  for (std::size_t m = 1; m <= symbol.weights.size(); ++m)
    slope += symbol.weights[m - 1] * static_cast<double>(m) * static_cast<double>(m);
  cubic_ = still.solve([](Eigen::Index i) { return std::pow(place(i), 3); },
                       [&](Eigen::Index i) { return -6.0 * slope * (place(i) + linear(static_cast<int>(i))); });
  for (int i = 0; i < static_cast<int>(layer_nodes); ++i)
    if (std::abs(linear(i)) > negligible) depth_ = i + 1;
}

std::array<WallLayer, 3> wall_layers(const Plan& plan, std::span<const double> waves) {
  std::array<WallLayer, 3> layers;
  for (int axis = 0; axis < 3; ++axis) {
    const WallLaw* most = nullptr;
    for (const WallLaw& law : plan.boundary.laws)
      if (law.axis == axis && (most == nullptr || law.taps.size() > most->taps.size())) most = &law;
    const auto d = static_cast<std::size_t>(axis);
    if (most != nullptr && plan.grid.size[d] > 1 && plan.stencil.courant[d] > 0.0)
      layers[d] = WallLayer(normal_symbol(plan.stencil, axis), most->taps, waves);
  }
  return layers;
}

}  // namespace fdtd
