// fdtd estimate SCENE: levels and reverberation times by octave in seconds, by the acoustic diffusion equation.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/estimate_map.hpp"
#include "cli/estimate_report.hpp"
#include "cli/option_values.hpp"
#include "cli/scene_options.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/threads.hpp"
#include "engine/devices/masked_solver.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/files/output_folder.hpp"

namespace fdtd::cli {
namespace {

struct EstimateCommand : SceneOptions {
  std::int64_t cells = EstimateOptions{}.cells;
  bool no_air = false;
  std::string map, folder;
  std::optional<double> picture;  // Hz
  bool force = false;
};

void estimate_scene(const EstimateCommand& command) {
  const std::optional<int> gpu = parse_device(command.device.empty() ? "cpu" : command.device);
  const Scene scene = load(command);
  EstimateOptions options;
  if (gpu) {
    options.make_solver = masked_solver_on(gpu_target(*gpu));
    options.side_by_side = false;
  }
  options.cells = command.cells;
  options.air = !command.no_air;
  if (command.map.empty() && (!command.folder.empty() || command.force || command.picture))
    throw Error(Status::scene, "--octave, --output and --force apply to the files of --map",
                "add --map z=1.2, or leave them out");
  const double picture = command.picture.value_or(1000.0);
  if (std::ranges::find(options.octaves, picture) == options.octaves.end())
    throw Error(Status::scene, fmt::format("--octave: {:g} Hz is not the centre of an octave", picture),
                "use 63, 125, 250, 500, 1000, 2000, 4000 or 8000");
  std::optional<LevelMap> map;
  std::optional<OutputFolder> created;
  namespace fs = std::filesystem;
  const fs::path folder = command.folder.empty() ? fs::path("out") / scene.file.stem() : fs::path(command.folder);
  if (!command.map.empty()) {
    map.emplace(scene, parse_map_plane(command.map, scene), options.octaves);
    created.emplace(folder);
    for (const fs::path& file : map->files(folder)) check_writable(file, command.force);
  }
  const Estimate found = estimate(
      scene, options, stated_absorption(scene),
      !map ? MapField()
           : [&](const DiffusionRoom& of, const DiffusionModel& model, const DiffusionField& field,
                 const EstimatedBand& band, std::size_t b,
                 std::size_t s) { map->add(of, model, field, band.attenuation * std::numbers::ln10 / 10.0, b, s); });
  std::optional<std::pair<double, double>> levels;
  if (map) {
    levels = map->write(folder, command.force, picture);
    created->keep();
  }
  if (command.json) {
    std::vector<std::string> outputs;
    if (map)
      for (const fs::path& file : map->files(folder)) outputs.push_back(file.string());
    put_document(json_text(estimate_json(scene, found, map ? &outputs : nullptr), 2) + "\n");
    return;
  }
  print_text("{}", estimate_text(scene, found));
  if (!map) return;
  print_text("wrote {}\n", map->files(folder)[0].string());
  for (std::size_t s = 1; s < map->files(folder).size(); ++s)
    print_text("wrote {}: {:.0f} Hz, {}\n", map->files(folder)[s].string(), picture,
               levels ? fmt::format("{:.1f} dB dark to {:.1f} dB light", levels->first, levels->second)
                      : std::string("no steady level in this octave"));
}

}  // namespace

void add_estimate(CLI::App& app, int& status) {
  auto command = std::make_shared<EstimateCommand>();
  app.add_option("scene", command->scene, "scene file (TOML)")->required();
  app.add_option("--set", command->overrides, "replace a key of the scene: a.b=value; repeatable")
      ->allow_extra_args(false);
  app.add_option("--device", command->device, "device that solves: cpu, by default, cuda or cuda:N");
  app.add_flag("--no-air", command->no_air,
               "leave out the absorption of air, which otherwise counts whatever the scene says");
  app.add_option("--cells", command->cells, "about how many cells the room is divided into")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}))
      ->capture_default_str();
  app.add_option("--map", command->map,
                 "also write the level on a plane, as in z=1.2 (m): estimate.h5 with all octaves, level_<source>.png");
  app.add_option("--octave", command->picture, "octave of the pictures in Hz")->default_str("1000");
  app.add_option("-o,--output", command->folder, "folder for the files of --map; by default out/<scene>");
  add_threads_option(app, command->threads);
  app.add_flag("--allow-outside", command->allow_outside, "allow the scene to name files outside its folder");
  app.add_flag("--json", command->json, "print one JSON document");
  app.add_flag("--force", command->force, "replace output files that exist");
  app.callback([command, &status] {
    take_threads(command->threads);
    estimate_scene(*command);
    status = 0;
  });
}

}  // namespace fdtd::cli
