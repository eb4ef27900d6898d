// What `run` and `plan` share: the scene argument, --set, the device, and how a scene's problems are told.
#pragma once

#include <string>
#include <vector>

#include "engine/planning/make_plan.hpp"
#include "engine/system/ranks.hpp"
#include "scenes/scene.hpp"

namespace CLI {
class App;
}

namespace fdtd::cli {

struct SceneOptions {
  std::string scene;
  std::vector<std::string> overrides;
  std::string device;  // empty: the scene's
  int threads = 0;     // 0: all
  bool allow_outside = false;
  bool json = false;
};

void add_scene_options(CLI::App& app, SceneOptions& options);

// Reads and judges the scene; throws Error(scene) with every problem in its text.
Scene load(const SceneOptions& options);
// Where the scene or --device says that it is computed. `automatic`: the first GPU that can be used, where there is one, as
// long as its memory holds the plan. Throws Error(resource) for a device that this build or machine does not have.
// "cuda:all": all GPUs of this machine, of which each will be a rank's (launch.hpp).
const std::string& device_wish(const Scene& scene, const SceneOptions& options);
struct DeviceChoice {
  Target target;
  bool automatic = false;
};
DeviceChoice choose_device(const Scene& scene, const SceneOptions& options, Ranks& all = ranks());
// The plan on that device; an automatic choice whose memory does not hold it becomes the CPU, which `remarks` then say; of several
// ranks, which all call this, on all of them.
Planned plan_on(DeviceChoice& device, const Scene& scene, const Stencil& stencil, std::vector<std::string>& remarks,
                Ranks& all = ranks());
// The stencil the scene names, or for "auto" the one whose plan costs least on that device. What "auto" takes depends on times: of
// several ranks, which all call this, rank 0 chooses for all. Throws Error(scene) for unknown names.
struct StencilChoice {
  Stencil stencil;
  std::vector<std::string> remarks;  // for "auto": what was taken and what the runners-up would cost
};
StencilChoice choose_stencil(const Scene& scene, const Target& target, Ranks& all = ranks());

}  // namespace fdtd::cli
