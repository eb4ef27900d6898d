// fdtd profile SCENE: the step of a whole room compared with the bare kernel and the triad.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/scene_options.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/profiling/profile_room.hpp"

namespace fdtd::cli {
namespace {

nlohmann::ordered_json room_json(const Plan& plan, const RoomProfile& p, const std::string& device) {
  return {{"device", device},
          {"kernel", p.kernel},
          {"stencil", plan.stencil_name},
          {"precision", to_string(plan.precision)},
          {"grid", plan.grid.size},
          {"nodes", p.nodes},
          {"boundary_nodes", plan.boundary.nodes.size()},
          {"branches", plan.boundary.branch_begin.back()},
          {"sources", plan.sources.size()},
          {"receivers", plan.receivers.size()},
          {"load_seconds", p.load_seconds},
          {"energy_seconds", p.energy_seconds},
          {"energy_interval", p.energy_interval},
          {"step_ctpn_ns", p.room.ctpn_ns},
          {"ctpn_ns", p.ctpn_ns()},
          {"gpts_per_second", p.gpts_per_second()},
          {"triad_ctpn_ns", p.room.triad_ctpn_ns},
          {"eff", p.eff()},
          {"bare", {{"kernel", p.bare_kernel}, {"ctpn_ns", p.bare.ctpn_ns}, {"triad_ctpn_ns", p.bare.triad_ctpn_ns}}},
          {"of_bare", p.of_bare},
          {"turns", p.turns}};
}

void print_room(const Plan& plan, const RoomProfile& p) {
  const auto& [nx, ny, nz] = plan.grid.size;
  print_text("{} x {} x {} nodes, {}, {}; {}\n", nx, ny, nz, plan.stencil_name, to_string(plan.precision), p.kernel);
  print_text("{} boundary nodes with {} branches, {} sources, {} receivers; loaded in {:.2f} s\n",
             plan.boundary.nodes.size(), plan.boundary.branch_begin.back(), plan.sources.size(), plan.receivers.size(),
             p.load_seconds);
  const auto line = [](const char* what, double ctpn, double triad) {
    print_text("  {:<28} {:>10.5f} ns {:>9.2f} Gpts/s   {:.3f} of the triad\n", what, ctpn, 1.0 / ctpn, triad / ctpn);
  };
  line("triad", p.room.triad_ctpn_ns, p.room.triad_ctpn_ns);
  line("bare kernel", p.bare.ctpn_ns, p.bare.triad_ctpn_ns);
  print_text("    {}\n", p.bare_kernel);
  line("step with walls", p.room.ctpn_ns, p.room.triad_ctpn_ns);
  line("step with energies", p.ctpn_ns(), p.room.triad_ctpn_ns);
  print_text("in total {:.3f} of the speed of the bare kernel ({}); an energy balance every {} steps takes {:.2f} ms\n",
             p.of_bare, p.turns > 1 ? fmt::format("median of {} alternations", p.turns) : "one after the other",
             p.energy_interval, p.energy_seconds * 1e3);
}

}  // namespace

void profile_scene(const ProfileCommand& command) {
  if (!command.stencils.empty() || !command.grid.empty() || !command.precision.empty())
    throw Error(Status::scene, "the scene sets stencil, grid and precision",
                "change them with --set, as in --set simulation.stencil=leggy-2");
  if (command.counters || command.retune || command.tiles != "best" || command.kernels.size() > 1)
    throw Error(Status::scene, "--counters, --retune, --tiles and several kernels apply to bare kernels only",
                "leave out these options, or the scene");
  if (!command.json_file.empty()) check_writable(command.json_file, command.force);
  SceneOptions options;
  options.scene = command.scene;
  options.overrides = command.overrides;
  options.allow_outside = command.allow_outside;
  options.device = command.device_given ? command.device : "";
  options.threads = command.settings.threads;
  Scene scene = load(options);
  DeviceChoice device = choose_device(scene, options);
  if (device.target.ranks > 1)
    throw Error(Status::scene, "profile uses one device", "use --device cpu, cuda or cuda:N, without mpirun");
  StencilChoice chosen = choose_stencil(scene, device.target);
  const Planned planned = plan_on(device, scene, chosen);
  BackendOptions backend;
  backend.threads = options.threads;
  if (!command.kernels.empty()) backend.kernel = command.kernels.front();
  backend.tune = true;
  backend.tile_order_file = command.settings.tile_order_file;
  const RoomProfile profile = profile_room(planned.plan, device.target, backend, command.settings.repeats);
  if (command.json)
    put_json(command, room_json(planned.plan, profile, device.target.text()));
  else
    print_room(planned.plan, profile);
}

}  // namespace fdtd::cli
