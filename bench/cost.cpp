// Cost per node of every member of the catalogue on this machine's CPU, for bench/cost_table.py: CTPN of the bare kernel
// in each instruction set of this build that the processor has, f32 and f64, one step a sweep and several, in the order
// of work that needs no search, in turns with the leapfrog triad.
//
//   bench_cost [--grid 256x256x256] [--json FILE]
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/devices/target.hpp"
#include "engine/plan/plan.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"
#include "engine/vector/kernels.hpp"
#include "stencils/catalogue.hpp"

namespace {

using Json = nlohmann::ordered_json;
using fdtd::Precision;

fdtd::Plan open_box(const fdtd::Stencil& stencil, Precision precision, const std::array<int, 3>& size) {
  fdtd::Plan plan;
  plan.precision = precision;
  plan.grid.size = size;
  plan.grid.spacing = {1.0, 1.0, 1.0};
  plan.grid.sound_speed = 1.0;
  plan.grid.time_step = stencil.courant;
  plan.stencil_name = stencil.name;
  plan.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  plan.air = fdtd::AirMask(size);
  plan.steps = 1;
  return plan;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
  return date.data();
}

}  // namespace

int main(int argc, char** argv) {
  std::array<int, 3> grid{256, 256, 256};
  std::string file;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--json") file = argv[i + 1];
    if (option == "--grid" && std::sscanf(argv[i + 1], "%dx%dx%d", grid.data(), &grid[1], &grid[2]) != 3) return 2;
  }
  Json report{{"commit", fdtd::commit()},
              {"date", today()},
              {"machine", fmt::format("{}, {} threads", fdtd::processor_name(), fdtd::hardware_threads())},
              {"driver", nullptr},
              {"command", fmt::format("bench_cost --grid {}x{}x{} --json cost.json", grid[0], grid[1], grid[2])},
              {"grid", grid},
              {"results", Json::array()}};
  std::set<std::string> known;
  for (const fdtd::Stencil& stencil : fdtd::catalogue()) {
    const std::string member = stencil.name.substr(0, stencil.name.find('/'));
    if (!known.insert(member).second) continue;
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const fdtd::Plan plan = open_box(stencil, precision, grid);
      for (const fdtd::cpu::Kernel& kernel : fdtd::cpu::kernels()) {
        if (std::string(kernel.name) == "rows" || !kernel.runs_here()) continue;
        fdtd::BackendOptions options;
        options.kernel = fmt::format("{}/{}", kernel.name, kernel.instruction_set);
        const auto backend = fdtd::make_backend({}, options);
        backend->load(plan, whole(plan));
        const fdtd::Timing timing = backend->profile(3);
        fmt::print("{:<12} {} {:<24} {:.4f} ns, triad {:.4f} ns\n", member, to_string(precision), options.kernel,
                   timing.ctpn_ns, timing.triad_ctpn_ns);
        std::fflush(stdout);
        report["results"].push_back({{"stencil", member},
                                     {"points", stencil.point_count()},
                                     {"precision", to_string(precision)},
                                     {"instruction_set", kernel.instruction_set},
                                     {"kernel", kernel.name},
                                     {"steps", timing.steps},
                                     {"ctpn_ns", timing.ctpn_ns},
                                     {"triad_ctpn_ns", timing.triad_ctpn_ns}});
      }
    }
    if (!file.empty()) std::ofstream(file) << report.dump(1) << '\n';
  }
}
