// fdtd profile SCENE: the step of a whole room compared with the bare kernel and the triad.
#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/documents.hpp"
#include "cli/scene_options.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/profiling/profile_room.hpp"

namespace fdtd::cli {
namespace {

struct ProfiledRoom {
  const Plan* plan = nullptr;
  const RoomProfile* profile = nullptr;
  std::string device;
  const std::vector<std::string>* notes = nullptr;
};

const JsonFields<RoomProfile>& bare_fields() {
  using Profile = RoomProfile;
  static const auto fields =
      JsonFields<Profile>()
          .value("kernel", "", "The kernel and its order of work.", &Profile::bare_kernel)
          .value("ctpn_ns", "ns", "Its compute time per node.", [](const Profile& p) { return p.bare.ctpn_ns; })
          .value("triad_ctpn_ns", "ns", "The triad, timed in turn with it.",
                 [](const Profile& p) { return p.bare.triad_ctpn_ns; });
  return fields;
}

const JsonFields<RoomProfile>& room_time_fields() {
  using Profile = RoomProfile;
  static const auto fields =
      JsonFields<Profile>()
          .value("load_seconds", "s", "Time to prepare memory, wall tables and kernel.", &Profile::load_seconds)
          .value("energy_seconds", "s", "Time of one energy balance.", &Profile::energy_seconds)
          .value("energy_interval", "", "Steps from one energy balance to the next.", &Profile::energy_interval)
          .value("step_ctpn_ns", "ns", "Compute time per node of a step with walls and receivers.",
                 [](const Profile& p) { return p.room.ctpn_ns; })
          .value("ctpn_ns", "ns", "The same with the step's part of the energy balances.", &Profile::ctpn_ns)
          .value("gpts_per_second", "10⁹/s", "Grid points updated per second, energy balances included.",
                 &Profile::gpts_per_second)
          .value("triad_ctpn_ns", "ns", "The triad on the same arrays.",
                 [](const Profile& p) { return p.room.triad_ctpn_ns; })
          .value("eff", "", "Time of the triad / `ctpn_ns`.", &Profile::eff)
          .object("bare", "The kernel on the same grid without walls, sources and receivers.", bare_fields(),
                  std::identity())
          .value("of_bare", "", "Speed of the room / speed of the bare kernel.", &Profile::of_bare)
          .value("turns", "", "How often room and bare kernel were timed in turn; 1: one after the other.",
                 &Profile::turns);
  return fields;
}

const JsonFields<ProfiledRoom>& profiled_room_fields() {
  using Of = ProfiledRoom;
  static const auto fields =
      JsonFields<Of>()
          .value("device", "", "The device that computes.", &Of::device)
          .value("kernel", "", "The kernel and its order of work.", [](const Of& of) { return of.profile->kernel; })
          .value("stencil", "", "Name of the stencil.", [](const Of& of) { return of.plan->stencil_name; })
          .value("precision", "", "`f32` or `f64`.", [](const Of& of) { return to_string(of.plan->precision); })
          .value("grid", "", "Number of grid points along x, y and z.", [](const Of& of) { return of.plan->grid.size; })
          .value("nodes", "", "Number of grid points in all.", [](const Of& of) { return of.profile->nodes; })
          .value("boundary_nodes", "", "Number of nodes with a wall.",
                 [](const Of& of) { return of.plan->boundary.nodes.size(); })
          .value("branches", "", "Number of impedance branches on them.",
                 [](const Of& of) { return of.plan->boundary.branch_begin.back(); })
          .value("sources", "", "Number of sources.", [](const Of& of) { return of.plan->sources.size(); })
          .value("receivers", "", "Number of receivers.", [](const Of& of) { return of.plan->receivers.size(); })
          .include(room_time_fields(), [](const Of& of) -> const RoomProfile& { return *of.profile; })
          .value("notes", "", "Remarks on the stencil and the device.", [](const Of& of) { return *of.notes; });
  return fields;
}

void print_room(const Plan& plan, const RoomProfile& p, const std::vector<std::string>& notes) {
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
  for (const std::string& note : notes) print_text("note: {}\n", note);
}

}  // namespace

DocumentFields room_profile_document() { return profiled_room_fields().all(); }

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
  const PlanResult planned = plan_on(device, scene, chosen);
  BackendOptions backend;
  backend.threads = options.threads;
  if (!command.kernels.empty()) backend.kernel = command.kernels.front();
  backend.tune = true;
  backend.tile_order_file = command.settings.tile_order_file;
  const RoomProfile profile = profile_room(planned.plan, device.target, backend, command.settings.repeats);
  if (command.json)
    put_json(command, profiled_room_fields().write({&planned.plan, &profile, device.target.text(), &chosen.remarks}));
  else
    print_room(planned.plan, profile, chosen.remarks);
}

}  // namespace fdtd::cli
