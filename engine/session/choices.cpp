#include "engine/session/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/rounded_text.hpp"
#include "engine/above/above_plan.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/idle_gpu_code.hpp"
#include "engine/estimate/reverberation.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/toml/stencil_file.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd {

const Stencil& known_stencil(const std::string& name) {
  if (const Stencil* stencil = find_stencil(name)) return *stencil;
  const std::string nearest = nearest_stencil_name(name);
  throw Error(Status::scene, fmt::format("there is no stencil {}", name),
              nearest.empty() ? "`fdtd stencils` lists them"
                              : fmt::format("did you mean {}? `fdtd stencils` lists all", nearest));
}

Stencil user_stencil_of(const std::filesystem::path& path) {
  StencilFile file = load_stencil(path);
  if (!file.problems.empty()) throw SceneError(std::move(file.problems), path.string(), file.text);
  return std::move(file.stencil);
}

namespace {

// N for "cuda:N", 0 for "cuda"; nothing for other names.
std::optional<int> gpu_number(const std::string& device) {
  if (device == "cuda") return 0;
  int number = 0;
  const char* const first = device.data() + std::min<std::size_t>(device.size(), 5);
  const char* const last = device.data() + device.size();
  const auto [end, error] = std::from_chars(first, last, number);
  const bool named = device.rfind("cuda:", 0) == 0 && error == std::errc() && end == last && number >= 0;
  return named ? std::optional(number) : std::nullopt;
}

DeviceChoice device_of(const std::string& device) {
  if (device == "cpu") return {};
  if (device == "auto") {
    for (const Gpu& gpu : gpus())
      if (gpu.why_not.empty()) return {{gpu.index, gpu.free_bytes}, true};
    return {{}, true};
  }
  if (device == "cuda:all") {
    if (gpus().empty())
      throw Error(
          Status::resource, fmt::format("cuda:all: there is no GPU: {}", why_no_gpu()),
          "use --device cpu; `fdtd plan --gpu-memory 80GB` prints how many GPUs with that memory the scene needs");
    DeviceChoice choice{gpu_target(0), false};
    choice.target.ranks = choice.target.local_ranks = static_cast<int>(gpus().size());
    return choice;
  }
  if (const auto number = gpu_number(device)) return {gpu_target(*number), false};
  throw Error(Status::scene, fmt::format("device {} is unknown", device), "use auto, cpu, cuda, cuda:N or cuda:all");
}

// One device per rank: the number of its GPU is its number on its machine. "auto" chooses GPUs if every rank has one.
DeviceChoice device_of_rank(const std::string& device, Ranks& ranks) {
  DeviceChoice choice;
  if (device == "cuda" || device == "cuda:all") {
    choice.target = gpu_target(ranks.local_rank());
  } else if (device == "auto") {
    const std::vector<Gpu> found = gpus();
    const auto mine = static_cast<std::size_t>(ranks.local_rank());
    const bool has = mine < found.size() && found[mine].why_not.empty();
    if (!any_of(ranks, !has)) choice.target = gpu_target(ranks.local_rank());
  } else if (device != "cpu") {
    throw Error(Status::scene, fmt::format("device {} cannot be shared by {} ranks", device, ranks.size()),
                "use --device cuda, with one GPU per rank, or --device cpu");
  }
  choice.target.ranks = ranks.size();
  choice.target.local_ranks = ranks.local_size();
  choice.target.rank = ranks.rank();
  choice.automatic = device == "auto";
  choice.target.planners = &ranks;
  return choice;
}

}  // namespace

const std::string& requested_device(const Scene& scene, const SceneRequest& options) {
  return options.device.empty() ? scene.simulation.device : options.device;
}

DeviceChoice choose_device(const Scene& scene, const SceneRequest& options, Ranks& all) {
  const std::string& device = requested_device(scene, options);
  return all.alone() ? device_of(device) : device_of_rank(device, all);
}

namespace {

// A room that is too large may be one in the wrong unit.
template <class Work>
auto with_doubt(const Scene& scene, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string& doubt = scene.room.doubt;
    if (error.status != Status::resource || doubt.empty() || error.remedy.ends_with(doubt)) throw;
    throw Error(error.status, error.what(), error.remedy.empty() ? doubt : error.remedy + "; " + doubt);
  }
}

}  // namespace

namespace {

// A stencil whose plan falls short.
struct Short {
  StencilChoice stencil;
  double band = 0.0;  // Hz; 0: empty
  std::string why;
};

Short why_short(const StencilChoice& stencil, const PlanResult& planned) {
  const ValidBand& valid = planned.valid;
  return {stencil, valid.frequency, fmt::format("{} at {} Hz", valid.limited_by, rounded_text(valid.frequency, 4))};
}

void leave_out(LeftOut& left_out, const StencilChoice& stencil, const PlanResult& planned) {
  left_out.members.push_back(member_name(stencil.stencil));
  if (planned.valid.limited_by == "geometry" && !knows_cut_voxels(planned.choice.grid_stencil))
    left_out.whole_voxels = true;
}

// Nothing where no other reaches the requested error. Rank 0 chooses for all ranks.
std::optional<StencilChoice> another_stencil(const Scene& scene, DeviceClass device, Ranks& all,
                                             const LeftOut& left_out) {
  std::optional<AutoStencil> best;
  if (all.first()) {
    try {
      best = cheapest_stencil(scene, device, {}, left_out);
    } catch (const Error& none) {
      if (none.status != Status::scene) throw;
    }
  }
  all.wait_for_all();
  const std::string taken = of_first(all, best ? best->stencil.name : std::string());
  if (taken.empty()) return std::nullopt;
  return StencilChoice{best ? best->stencil : known_stencil(taken), best ? best->remarks : std::vector<std::string>(),
                       true};
}

}  // namespace

void settle_duration(Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  if (!scene.simulation.duration_auto) return;
  const RoomSurvey room = survey_room(scene, stencil, target, stage);
  WavePart wave;
  wave.valid_to = room.max_frequency;
  wave.volume = room.extent.volume;
  wave.sound_speed = scene.air.speed();
  const auto duration_to = [&](double end) {
    return automatic_duration(expected_decay(scene, room.extent, end).bands);
  };
  // Whether there is geometry depends on the duration: the one that responses with it would have.
  scene.simulation.duration = duration_to(response_end(scene, wave));
  wave.duration = scene.simulation.duration;
  if (const double end = response_end(scene, wave); end == wave.valid_to) scene.simulation.duration = duration_to(end);
}

PlanResult plan_for(const Target& target, DeviceClass device, Scene& scene, StencilChoice& stencil, Ranks& all,
                    const PlanningStage& stage) {
  constexpr std::size_t most = 2;
  const auto plan = [&] {
    settle_duration(scene, stencil.stencil, target, stage);
    return make_plan(scene, stencil.stencil, target, stage);
  };
  if (!stencil.automatic) return plan();
  LeftOut left_out;
  std::vector<Short> tried;
  while (tried.size() < most) {
    try {
      PlanResult planned = plan();
      if (!falls_short(scene, planned)) {
        if (!tried.empty())
          stencil.remarks.push_back(
              fmt::format("stencil \"auto\" left out {}, which costs less by the table, but whose band ends below "
                          "max_frequency on the grid that was made: {}",
                          tried.front().stencil.stencil.name, tried.front().why));
        return planned;
      }
      tried.push_back(why_short(stencil, planned));
      leave_out(left_out, stencil, planned);
    } catch (const EmptyBand& empty) {
      tried.push_back({stencil, 0.0, empty.what()});
      left_out.members.push_back(member_name(stencil.stencil));
      left_out.whole_voxels = true;  // of those that know cut voxels none has an empty band
    }
    if (stage) stage("choosing another stencil");
    const std::optional<StencilChoice> next = another_stencil(scene, device, all, left_out);
    if (!next) break;
    stencil = *next;
  }
  // None of them: the one with the widest band, on a grid as fine as a scene gets that names it.
  stencil = std::ranges::max_element(tried, {}, &Short::band)->stencil;
  settle_duration(scene, stencil.stencil, target, stage);
  Scene named = scene;
  named.simulation.stencil = stencil.stencil.name;
  return make_plan(named, stencil.stencil, target, stage);
}

namespace {

// Once: a run that resumes has the remarks of the one before.
void say_cpu(StencilChoice& stencil, const std::string& why) {
  std::string remark = "computed on the CPU: " + why;
  if (std::ranges::find(stencil.remarks, remark) == stencil.remarks.end()) stencil.remarks.push_back(std::move(remark));
}

}  // namespace

PlanResult plan_on(DeviceChoice& device, Scene& scene, StencilChoice& stencil, Ranks& all, const PlanningStage& stage) {
  const auto plan = [&] {
    return with_doubt(scene,
                      [&] { return plan_for(device.target, device_class(device.target), scene, stencil, all, stage); });
  };
  if (device.automatic && !device.target.on_gpu())
    if (const std::string why = why_gpu_code_is_idle(); !why.empty()) say_cpu(stencil, why);
  if (!device.automatic || !device.target.on_gpu()) return plan();
  PlanResult planned;
  std::string refused;
  try {
    planned = plan();
  } catch (const Error& error) {
    if (error.status != Status::resource) throw;
    refused = error.what();
  }
  if (!any_of(all, !refused.empty())) return planned;
  const Target gpu = device.target;
  device = {};
  device.target.ranks = gpu.ranks;
  device.target.local_ranks = gpu.local_ranks;
  device.target.rank = gpu.rank;
  device.target.planners = &all;
  stencil = choose_stencil(scene, device.target, all);
  say_cpu(stencil, refused.empty() ? "the GPU of another rank has too little memory" : refused);
  return plan();
}

StencilChoice choose_stencil(const Scene& scene, const Target& target, Ranks& all, bool measure) {
  if (!measure) return choose_stencil(scene, device_class(target), {}, all);
  return choose_stencil(
      scene, device_class(target),
      [&target](const Stencil& stencil, Precision precision) { return ctpn_on(target, stencil, precision); }, all);
}

StencilChoice choose_stencil(const Scene& scene, DeviceClass device, const MeasureCtpn& measure, Ranks& all) {
  const std::string& name = scene.simulation.stencil;
  if (name == "auto") {
    AutoStencil best;
    if (all.first()) best = with_doubt(scene, [&] { return cheapest_stencil(scene, device, measure); });
    all.wait_for_all();
    const std::string taken = of_first(all, best.stencil.name);
    return {all.first() ? best.stencil : known_stencil(taken), best.remarks, true};
  }
  if (!scene.simulation.stencil_path.empty()) return {user_stencil_of(scene.simulation.stencil_path), {}};
  return {known_stencil(name), {}};
}

}  // namespace fdtd
