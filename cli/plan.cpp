// fdtd plan SCENE: what a run would do, and whether it fits.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/plan_report.hpp"
#include "cli/scene_options.hpp"

namespace fdtd::cli {

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<SceneOptions>();
  add_scene_options(app, *options);
  app.callback([options, &status] {
    const Scene scene = load(*options);
    DeviceChoice device = choose_device(scene, *options, ranks());
    StencilChoice chosen = choose_stencil(scene);
    const Planned planned = plan_on(device, scene, chosen.stencil, chosen.remarks);
    const PlanReport report =
        make_report(scene, planned, device.target, predict_seconds(scene, planned, device.target, options->threads),
                    chosen.remarks);
    print_plan(report, options->json);
    status = 0;
  });
}

}  // namespace fdtd::cli
