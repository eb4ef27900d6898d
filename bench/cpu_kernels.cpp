// CTPN of the CPU kernels beside the roofline of the same run.
//
//   bench_cpu_kernels [--benchmark_filter=leggy-4/f32/512] [--benchmark_format=json]
//
// One benchmark is one stencil, precision, room and kernel on all threads (OMP_NUM_THREADS), in the order of tiles that
// the search finds fastest; the label states the kernel and its blocks. Counters: CTPN_ns (time of a step over the
// nodes), Gpts (1/CTPN), triad_CTPN_ns (in-place leapfrog triad u0 = 2 u1 - u0 on the same arrays, steps and triads
// alternately), eff = triad_CTPN / CTPN, GB_per_s of declared traffic. Rooms: `bare` is a rigid box without sources;
// `lossy` has three laws with one to three branches on its faces, 32 sources and receivers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/target.hpp"
#include "engine/plan/slab.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;

// Walls on all faces of a box, one law an axis.
Boundary lossy_walls(const std::array<int, 3>& size, const GridStencil& stencil) {
  const std::vector<WallLaw> laws = {{0.5, {{0.0, 20.0, 0.0}}, 0, 0},
                                     {0.5, {{2.0, 15.0, 0.1}, {0.3, 8.0, 0.0}}, 1, 1},
                                     {0.5, {{0.5, 9.0, 0.4}, {4.0, 12.0, 0.05}, {0.0, 16.0, 0.9}}, 2, 2}};
  Boundary b;
  b.laws = laws;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      const std::array<int, 2> yz = {y, z};
      const bool inside = y > 0 && y < size[1] - 1 && z > 0 && z < size[2] - 1;
      for (int x = 0; x < size[0]; x += inside && x == 0 && size[0] > 1 ? size[0] - 1 : 1) {
        const std::array<bool, 3> at_wall = {x == 0 || x == size[0] - 1, yz[0] == 0 || yz[0] == size[1] - 1,
                                             yz[1] == 0 || yz[1] == size[2] - 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (!at_wall[axis]) continue;
          b.sites.push_back({static_cast<std::uint32_t>(axis), stencil.courant[axis]});
          b.branch_begin.push_back(b.branch_begin.back() + laws[axis].branches.size());
        }
        b.nodes.push_back(static_cast<std::uint64_t>(x + static_cast<std::int64_t>(size[0]) *
                                                             (y + static_cast<std::int64_t>(size[1]) * z)));
        b.site_begin.push_back(static_cast<std::uint32_t>(b.sites.size()));
      }
    }
  }
  return b;
}

Tap tap_at(const std::array<int, 3>& size, int i) {
  Tap tap;
  const int x = size[0] / 4 + i, y = size[1] / 4 + 2 * i, z = size[2] / 4 + 3 * i;
  for (int dz = 0; dz < 6; ++dz)
    for (int dy = 0; dy < 6; ++dy)
      for (int dx = 0; dx < 6; ++dx)
        tap.nodes.push_back(static_cast<std::uint64_t>(
            x + dx + static_cast<std::int64_t>(size[0]) * (y + dy + static_cast<std::int64_t>(size[1]) * (z + dz))));
  tap.weights.assign(tap.nodes.size(), 1.0 / static_cast<double>(tap.nodes.size()));
  return tap;
}

Plan make(const std::string& name, Precision precision, std::array<int, 3> size, bool lossy) {
  const Stencil& stencil = *find_stencil(name);
  Plan plan;
  plan.precision = precision;
  plan.grid = {size, {0.05, 0.05, 0.05}, stencil.courant * 0.05 / 343.0, 343.0};
  plan.stencil_name = name;
  plan.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  plan.air = AirMask(size);
  plan.near_wall = make_near_wall(plan.stencil, plan.air);
  plan.drive_scale = 1.0;
  if (lossy) {
    plan.boundary = lossy_walls(size, plan.stencil);
    for (int i = 0; i < 32; ++i) {
      plan.sources.push_back(tap_at(size, i));
      plan.receivers.push_back(tap_at(size, i));
    }
  }
  return plan;
}

void measure(benchmark::State& state, const std::string& stencil, Precision precision, int edge, bool lossy,
             const std::string& kernel) {
  const Plan plan = make(stencil, precision, {edge, edge, edge}, lossy);
  BackendOptions options;
  options.kernel = kernel;
  options.tune = true;
  const auto backend = make_backend({}, options);
  backend->load(plan, whole(plan));
  Timing timing;
  for (auto _ : state) {
    timing = backend->profile(9);
    state.SetIterationTime(timing.seconds_per_step);
  }
  state.SetLabel(backend->describe());
  state.counters["CTPN_ns"] = timing.ctpn_ns;
  state.counters["Gpts"] = 1.0 / timing.ctpn_ns;
  state.counters["triad_CTPN_ns"] = timing.triad_ctpn_ns;
  state.counters["eff"] = timing.triad_ctpn_ns / timing.ctpn_ns;
  state.counters["GB_per_s"] = timing.declared_bytes / timing.ctpn_ns;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> stencils = {"leggy-1",  "leggy-2",  "leggy-3",   "leggy-4",   "leggy-6",   "leggy-8",
                                             "leggy-12", "leggy-20", "compact-2", "compact-3", "compact-5", "box-222"};
  for (const std::string& stencil : stencils) {
    if (find_stencil(stencil) == nullptr) continue;
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      for (const int edge : {256, 512}) {
        for (const bool lossy : {false, true}) {
          for (const char* kernel : {"sliding_window", "time_slice"}) {
            benchmark::RegisterBenchmark(
                fmt::format("{}/{}/{}/{}/{}", stencil, precision == Precision::f32 ? "f32" : "f64", edge,
                            lossy ? "lossy" : "bare", kernel)
                    .c_str(),
                [=](benchmark::State& state) { measure(state, stencil, precision, edge, lossy, kernel); })
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
          }
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
