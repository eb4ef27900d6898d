// CTPN, compute time per node: the time of one step over the number of grid points, halo not counted, averaged over
// many steps (Hamilton, Webb, Gray, Bilbao, DAFx-15). It is always reported with its upper bound, the leapfrog triad u0
// = 2 u1 - u0 over the same arrays, timed in alternation with it; eff = triad CTPN / CTPN.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct ProfileSettings {
  Precision precision = Precision::f32;
  std::array<int, 3> grid = {256, 256, 192};
  int threads = 0;     // 0: all
  std::string kernel;  // empty: the fastest
  std::filesystem::path tile_order_file = default_tile_order_file();
  int repeats = 7;  // pairs of stencil and triad; medians are reported
};

struct KernelProfile {
  std::string stencil, kernel;  // as the backend describes itself
  int points = 0;
  double ctpn_ns = 0.0, triad_ctpn_ns = 0.0, declared_bytes = 0.0;
  double gpts_per_second() const { return 1.0 / ctpn_ns; }
  double eff() const { return triad_ctpn_ns / ctpn_ns; }
  double gb_per_second() const { return declared_bytes / ctpn_ns; }
};

// The bare kernel: an open box of air without walls, sources or receivers. Allocates that grid; throws
// Error(resource) when it does not fit.
KernelProfile profile_stencil(const Stencil& stencil, const ProfileSettings& settings);

// The same on any device, quickly: CTPN in ns on a grid larger than the inner caches, on a CPU the better of single
// steps and several steps per sweep with untuned blocks. A search would take seconds per stencil; a long run makes its
// own.
double ctpn_on(const Target& target, const Stencil& stencil, Precision precision);

// The member of a family, whose variants all have the same shells and cost: "leggy-4" of "leggy-4/opt1".
std::string member_name(const Stencil& stencil);

}  // namespace fdtd
