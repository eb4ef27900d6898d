// A rigid-sided duct with one absorbing end at coordinate 0, and the reflection there, measured in the time domain.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/walls/half_space.hpp"
#include "engine/walls/wall_law.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::test {

struct Duct {
  GridStencil stencil;
  int axis = 0;                      // along it
  std::array<int, 2> section{1, 1};  // nodes across, over the two other axes in their order
  int mode = 0;                      // half waves over section[0]: k = pi mode / section[0]
  double omega = 0.0;                // of the pulse, radians a step
  double width = 24.0;               // of the pulse's Gaussian, steps
  int receiver = 120, source = 150;  // planes
  FrequencyMap map;                  // that rendering undoes: for which walls are fitted
  double points = 4.0;               // of the shortest wavelength that walls are fitted to
  double courant() const { return stencil.courant[0]; }
  double transverse() const { return std::numbers::pi * mode / section[0]; }
  std::array<int, 3> place(int along, int first, int second) const {
    std::array<int, 3> at{};
    at[static_cast<std::size_t>(axis)] = along;
    at[axis == 0 ? 1 : 0] = first;
    at[axis == 2 ? 1 : 2] = second;
    return at;
  }
  // As make_wall_laws takes it.
  double max_frequency(const Grid& grid) const { return grid.sound_speed / (points * grid.spacing[0]); }
  NormalSymbol symbol() const { return normal_symbol(stencil, axis, {transverse(), 0.0}); }
};

inline GridStencil isotropic(const std::string& name, double scale = 1.0) {
  const Stencil& stencil = *find_stencil(name);
  const double courant = scale * stencil.courant;
  return on_grid(at_courant(stencil, courant), {courant, courant, courant});
}

inline Grid grid_of(const Duct& duct, int length) {
  Grid grid;
  grid.size = duct.place(length, duct.section[0], duct.section[1]);
  grid.spacing = {0.1, 0.1, 0.1};
  grid.sound_speed = 343.0;
  grid.time_step = duct.courant() * 0.1 / 343.0;
  return grid;
}

// All nodes of a plane across the duct, weighted by the mode's shape.
inline Tap plane_tap(const Duct& duct, const Grid& grid, int along) {
  Tap tap;
  const auto [m, n] = duct.section;
  for (int second = 0; second < n; ++second)
    for (int first = 0; first < m; ++first) {
      const auto [x, y, z] = duct.place(along, first, second);
      tap.nodes.push_back(static_cast<std::uint64_t>(x + grid.size[0] * (y + grid.size[1] * z)));
      tap.weights.push_back(std::cos(duct.transverse() * (first + 0.5)) / (m * n));
    }
  return tap;
}

// Spectrum at `omegas` of what the receiver records; `branches` empty: a rigid end. The far end's echo comes after the
// record.
inline std::vector<std::complex<double>> spectrum(const Duct& duct, const std::vector<Branch>& branches, bool plain_law,
                                                  const std::vector<double>& omegas) {
  const double slowest = incident_wave(duct.symbol(), duct.omega)->velocity * 0.8;
  const double delay = 7.5 * duct.width;
  const auto steps =
      static_cast<std::int64_t>(2.0 * delay + (duct.source + duct.receiver) / (slowest * duct.courant()));
  const int length = duct.receiver + static_cast<int>(0.6 * static_cast<double>(steps) * duct.courant()) + 20;

  Plan plan;
  plan.precision = Precision::f64;
  plan.grid = grid_of(duct, length);
  plan.stencil = duct.stencil;
  std::array<std::string, 6> walls;
  walls.fill("rigid");
  walls[static_cast<std::size_t>(2 * duct.axis)] = "end";
  Voxels voxels = voxelise_box(plan.grid.size, plan.grid.spacing, walls);
  plan.near_wall = make_near_wall(plan.stencil, voxels.air);
  MaterialFit rigid, end;
  rigid.name = "rigid";
  end.name = "end";
  end.branches = branches;
  std::vector<MaterialFit> fits;  // in the order of the voxels' materials
  for (const std::string& name : voxels.materials) fits.push_back(name == "end" ? end : rigid);
  std::vector<WallLaw> laws = make_wall_laws(fits, plan.grid, plan.stencil, duct.map, duct.max_frequency(plan.grid));
  if (plain_law) std::erase_if(laws, [](const WallLaw& law) { return law.inward != 0; });
  plan.boundary = make_boundary(voxels, laws, plan.grid, plan.near_wall);
  plan.air = voxels.air;
  plan.sources = {plane_tap(duct, plan.grid, duct.source)};
  plan.receivers = {plane_tap(duct, plan.grid, duct.receiver)};
  plan.drive_scale = 1.0;
  plan.steps = steps;

  Drive drive;
  drive.steps = steps;
  const auto pulse = [&](double t) {
    const double u = (t - delay) / duct.width;
    return std::exp(-0.5 * u * u) * std::cos(duct.omega * (t - delay));
  };
  for (std::int64_t n = 0; n < steps; ++n) {
    drive.f.push_back(pulse(static_cast<double>(n) + 0.5) - pulse(static_cast<double>(n) - 0.5));
  }
  const std::unique_ptr<Backend> backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  Samples samples;
  backend->advance(drive, samples);

  std::vector<std::complex<double>> sums;
  for (double omega : omegas) {
    std::complex<double> sum = 0.0;
    for (std::size_t n = 0; n < samples.p.size(); ++n)
      sum += samples.p[n] * std::polar(1.0, -omega * static_cast<double>(n));
    sums.push_back(sum);
  }
  return sums;
}

// The reflection that a record shows: before a rigid end the field is a standing wave 2 cos(k d), d cells from the
// wall.
inline std::complex<double> recorded_reflection(std::complex<double> lossy, std::complex<double> rigid, double k,
                                                int plane) {
  const std::complex<double> in = std::polar(1.0, k * (plane + 0.5));
  return (lossy / rigid * (in + std::conj(in)) - in) / std::conj(in);
}

}  // namespace fdtd::test
