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
    const std::string device = choose_device(scene, *options);
    const StencilChoice chosen = choose_stencil(scene);
    const Planned planned = make_plan(scene, chosen.stencil);
    const PlanReport report =
        make_report(scene, planned, device, predict_seconds(scene, planned, options->threads), chosen.remarks);
    print_plan(report, options->json);
    status = 0;
  });
}

}  // namespace fdtd::cli
