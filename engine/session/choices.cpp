#include "engine/session/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/devices/devices.hpp"
#include "engine/error.hpp"
#include "engine/profiling/profile.hpp"
#include "scenes/stencil_file.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd {

const Stencil& known_stencil(const std::string& name) {
  if (const Stencil* stencil = find_stencil(name)) return *stencil;
  const std::string nearest = nearest_stencil_name(name);
  throw Error(Status::scene, fmt::format("there is no stencil {}", name),
              nearest.empty() ? "`fdtd stencils` lists them"
                              : fmt::format("did you mean {}? `fdtd stencils` lists all", nearest));
}

namespace {

Stencil user_weights(const std::filesystem::path& path) {
  StencilFile file = load_stencil(path);
  if (!file.problems.empty()) throw SceneError(std::move(file.problems), path.string(), file.text);
  return std::move(file.stencil);
}

}  // namespace

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
    return {};
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
  choice.automatic = device == "auto" && choice.target.on_gpu();
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

Planned plan_on(DeviceChoice& device, Scene& scene, StencilChoice& stencil, Ranks& all) {
  const auto plan = [&] {
    return with_doubt(scene, [&] {
      settle_duration(scene, stencil.stencil, device.target);
      return make_plan(scene, stencil.stencil, device.target);
    });
  };
  if (!device.automatic || !device.target.on_gpu()) return plan();
  Planned planned;
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
  stencil.remarks.push_back(fmt::format("computed on the CPU: {}",
                                        refused.empty() ? "the GPU of another rank has too little memory" : refused));
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
    return {all.first() ? best.stencil : known_stencil(taken), best.remarks};
  }
  if (!scene.simulation.stencil_path.empty()) return {user_weights(scene.simulation.stencil_path), {}};
  return {known_stencil(name), {}};
}

}  // namespace fdtd
