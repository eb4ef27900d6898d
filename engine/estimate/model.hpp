// The acoustic diffusion equation in one frequency band:
//   dw/dt = div D grad w - c m w + q,  D = c lambda / 3,  D dw/dn = -c A w at walls,  A = alpha / (2 (2 - alpha)),
// w the energy density, lambda the mean free path of the part, m the attenuation of the air (1/m), alpha the
// random-incidence absorption coefficient of the wall. J. Picaut, L. Simon, J.-D. Polack, A mathematical model of diffuse
// sound field based on a diffusion equation, Acta Acustica 83, 1997; V. Valeau, J. Picaut, M. Hodgson, On the use of a
// diffusion equation for room-acoustic prediction, J. Acoust. Soc. Am. 119, 2006; walls of Y. Jing, N. Xiang, On boundary
// conditions for the diffusion equation in room-acoustic prediction, J. Acoust. Soc. Am. 123, 2008.
//
// Diffusion is the first order of transport theory, and lets a cube of large alpha decay too slowly: by 2 % at 0.1, by
// 12 % at 0.4, against Eyring's formula. Both terms of a wall's exchange with the room are therefore multiplied by
// exchange_factor of the mean alpha of its part, with which a cube decays by that formula; steady levels do not change.
//
// Direct sound is not diffuse: it falls as 1/(4 pi r^2) to what it sees. The part that walls in sight of the source reflect
// of it, (1 - alpha) of the power that they receive, is the source of w. With the wall's emission E, the same argument that
// gives A gives the condition D dw/dn = -c A w + 2 E / (2 - alpha).
//
// Steady levels of a source that sees its part, or far into it (straight_paths), have D = c (lambda/3 + r) there, r the
// distance from it: smooth walls leave sound its direction along them. In a duct whose walls absorb kappa a metre of the
// way across, rays of all directions from x = 0 have a flux over the gradient of their density of c x where
// kappa x << 1, c x/2 where kappa x >> 1; particles traced in long rooms show such a growth (C. Visentin, N. Prodi,
// V. Valeau, J. Picaut, A numerical investigation of the Fick's law of diffusion in room acoustics, J. Acoust. Soc. Am.
// 132, 2012). Decays keep c lambda/3.
//
// Trilinear elements on cells, mass and walls lumped: order 2 in the spacing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/estimate/room.hpp"
#include "engine/multigrid/masked.hpp"

namespace fdtd {

// The factor of the exchange of walls: A'/A of a cube with the mean absorption coefficient `alpha` everywhere,
// where x tan x = 9 A'/4 and the rate 8 c x^2/(3 L) is Eyring's, -6 c ln(1 - alpha)/(4 L). 1 at 0; above alpha = 0.7, where
// no formula holds, as at 0.7.
double exchange_factor(double alpha);

// Of a room whose source has been switched off: w(t) = sum amplitude[i] exp(-rate[i] t), rates rising.
struct ModalDecay {
  std::vector<double> rates;       // 1/s
  std::vector<double> amplitudes;  // J/m3
};

struct DiffusionField {
  std::vector<double> steady;      // w at nodes, in the layout of the solver's grid, for a source of 1 W
  std::vector<double> diffuse;     // w at each receiver, J/m3
  std::vector<double> direct;      // energy density of direct sound there; 0 out of sight
  std::vector<ModalDecay> decays;  // at each receiver, from the steady state
  int iterations = 0;              // of conjugate gradients, all solves together
};

std::shared_ptr<multigrid::MaskedSolver> make_cpu_solver(const multigrid::MaskLevels& levels);

class DiffusionModel {
 public:
  // `modes`: number of modes that stand for a decay, each a solve. Throws std::invalid_argument for a room without air.
  DiffusionModel(const DiffusionRoom& room, double sound_speed, int modes,
                 multigrid::MakeSolver make_solver = make_cpu_solver);
  // The band: alpha of each material, and the air's attenuation (1/m, of energy). The first solve() makes the
  // solver, which copies of the model share from then on: for several threads, copy a model that has none.
  void set_band(std::span<const double> alpha, double attenuation);
  // Does energy from the source meet absorption?
  bool absorbs(std::size_t source) const;
  // Makes what solve() needs of one source in every band; copies of the model share it.
  void prepare_source(std::size_t source);
  double in_sight_fraction() const { return prepared_source_->in_sight; }  // of the part of that source, by volume
  double farthest_in_sight() const { return prepared_source_->farthest; }  // m
  bool straight() const { return prepared_source_->levels != nullptr; }    // does D grow with the distance from it?
  DiffusionField solve(std::size_t source);                                // which must meet absorption

  // Cells that sound from the source reaches.
  const std::vector<bool>& reached(std::size_t source) const { return reached_[source]; }
  const multigrid::NodeGrid& grid() const { return levels_->front().grid; }
  double at(std::span<const double> field, const std::array<double, 3>& place) const;  // trilinear
  // Energy density (J/m3) of the direct sound of 1 W in air of that attenuation (1/m); 0 out of sight.
  double direct(std::size_t source, const std::array<double, 3>& place, double attenuation) const;

 private:
  struct CornerWeight {
    std::int64_t node = 0;
    double weight = 0.0;
  };
  std::array<CornerWeight, 8> corner_weights(
      const std::array<double, 3>& place) const;  // of the corners of the cell there
  std::vector<double> load(std::size_t source) const;
  multigrid::KrylovSpace slow_modes(std::span<const double> emitted, const multigrid::KrylovOptions& options,
                                    std::span<const std::int64_t> nodes);
  int solve_straight(std::span<const double> load, std::span<double> steady, const multigrid::KrylovOptions& options);
  std::vector<double> mass() const;
  double exchange(const DiffusionRoom::Wall& wall) const {
    return exchange_[static_cast<std::size_t>(room_->part[static_cast<std::size_t>(wall.cell)])];
  }
  const DiffusionRoom* room_;
  double speed_;
  int modes_;
  multigrid::MakeSolver make_solver_;
  multigrid::MaskLevels levels_;
  std::shared_ptr<multigrid::MaskedSolver> solver_;  // made for the first band, of which copies share it
  struct PreparedSource {
    std::size_t source = 0;
    double in_sight = 0.0, farthest = 0.0;
    multigrid::MaskLevels levels;  // of the steady state; none where D does not grow
    std::shared_ptr<multigrid::MaskedSolver> solver;
  };
  std::optional<PreparedSource> prepared_source_;
  std::vector<double> mass_, diagonal_;
  std::vector<double> alpha_;     // by material
  std::vector<double> exchange_;  // by part
  double attenuation_ = 0.0;
  std::vector<std::vector<double>> power_;  // by source: power (of 1 W) that each wall receives, without air
  std::vector<std::vector<bool>> reached_;
};

}  // namespace fdtd
