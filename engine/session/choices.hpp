// The device, the stencil and the plan that follow from a request to run or plan a scene.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/planning/make_plan.hpp"
#include "engine/profiling/auto_stencil.hpp"
#include "engine/session/scene_request.hpp"
#include "engine/system/ranks.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The device that the scene or the request names. `automatic`: the first usable GPU if its memory holds the plan,
// otherwise the CPU. Throws Error(resource) for a device that this build or machine does not have. "cuda:all": all GPUs
// of this machine, one per rank.
const std::string& requested_device(const Scene& scene, const SceneRequest& request);
struct DeviceChoice {
  Target target;
  bool automatic = false;
};
DeviceChoice choose_device(const Scene& scene, const SceneRequest& request, Ranks& all = ranks());
// The entry of the catalogue, or Error(scene) with the nearest name.
const Stencil& known_stencil(const std::string& name);
// The weights of a user's file, which pass the checks of the catalogue. Throws SceneError with every reason why they do
// not, or why the file cannot be read.
Stencil user_stencil_of(const std::filesystem::path& file);
// The stencil that the scene names, or for "auto" the cheapest on a device of that class. `measure`: "auto" times its
// candidates on the target instead of relying on the table. Rank 0 chooses for all ranks, which all call this. Throws
// Error(scene) for unknown names.
struct StencilChoice {
  Stencil stencil;
  std::vector<std::string> remarks;  // for "auto": the choice, and the cost of the next best
  bool automatic = false;            // another may be taken
};
StencilChoice choose_stencil(const Scene& scene, const Target& target, Ranks& all = ranks(), bool measure = false);
StencilChoice choose_stencil(const Scene& scene, DeviceClass device, const MeasureCtpn& measure = {},
                             Ranks& all = ranks());

// duration = "auto": replaces the placeholder by automatic_duration of the room on the grid that `stencil` gets; for a
// mesh it is voxelised once more than for the plan. Does nothing for a duration in seconds. Throws as make_plan.
void settle_duration(Scene& scene, const Stencil& stencil, const Target& target = {}, const PlanningStage& stage = {});

// The plan for that target; first settles duration = "auto" of the scene. Where "auto" took a stencil whose responses
// end below max_frequency on the grid that was made, the next one by the table is taken, as the remarks then state; of
// several that all do, the one with the widest band. All ranks call this and get the same choice.
PlanResult plan_for(const Target& target, DeviceClass device, Scene& scene, StencilChoice& stencil,
                    Ranks& all = ranks(), const PlanningStage& stage = {});
// The same on that device. An automatic choice whose memory does not hold
// it becomes the CPU, with the stencil that "auto" takes there, as the remarks then state; all ranks call this and get
// the same choice.
PlanResult plan_on(DeviceChoice& device, Scene& scene, StencilChoice& stencil, Ranks& all = ranks(),
                   const PlanningStage& stage = {});

}  // namespace fdtd
