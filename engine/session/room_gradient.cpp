#include "engine/session/room_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "engine/adjoint/gradient.hpp"
#include "engine/adjoint/moving_laws.hpp"
#include "engine/devices/devices.hpp"
#include "engine/materials/band_law.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/run/run.hpp"
#include "engine/session/choices.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/ranks.hpp"
#include "engine/walls/grid_fit.hpp"

namespace fdtd {

// A material with its numbers at other values.
struct MovedMaterial {
  std::vector<double> values;
  SmoothBandLaw law;  // slopes: none of an admittance
  MovingLaws::Place place;
};

// A material whose walls move.
struct MovingMaterial {
  std::string name;
  Material::Kind kind = Material::Kind::absorption;
  std::vector<double> bands, alpha;  // all of them, by ascending band
  std::vector<std::size_t> moves;    // octaves that are parameters
  std::vector<std::size_t> laws;     // of the plan
  std::optional<MovingLaws> on_grid;
  // The latest last. Differences move one material at a time; its fit is most of the time of a small run.
  std::vector<MovedMaterial> known;
};

namespace {

using Kind = Material::Kind;

void check_scene(const Scene& scene) {
  if (scene.above.method != Above::Method::none)
    throw Error(Status::scene, "a gradient is that of the waves alone, and this scene has image sources and rays above",
                "set method = \"none\" in [above]");
  if (!scene.moving.empty())
    throw Error(Status::scene, "a gradient has no receivers on paths", "place receivers where they are to be heard");
}

bool may_move(const Material& material) {
  return (material.kind == Kind::absorption && !material.bands.empty()) ||
         (material.kind == Kind::admittance && material.admittance > 0.0);
}

std::vector<std::string> movable_on_walls(const Scene& scene) {
  std::vector<std::string> names;
  for (const std::string& name : scene.room.materials().names)
    if (may_move(scene.materials.at(name))) names.push_back(name);
  return names;
}

// Names of all materials that may move, as an argument of Python.
std::string movable_hint(const Scene& scene) {
  const std::vector<std::string> names = movable_on_walls(scene);
  if (names.empty()) return "no material of its walls states absorption by octave or an admittance above 0";
  return fmt::format("those of its walls that may: materials=[\"{}\"] of rf.gradient", fmt::join(names, "\", \""));
}

void check_materials(const Scene& scene, const std::vector<std::string>& names) {
  const std::vector<std::string> on_walls = scene.room.materials().names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const auto refuse = [&](const std::string& why) {
      throw Error(Status::scene, fmt::format("material {} {}, and cannot move", name, why), movable_hint(scene));
    };
    const auto found = scene.materials.find(name);
    if (found == scene.materials.end())
      throw Error(Status::scene, fmt::format("the scene has no material {}", name), movable_hint(scene));
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(Status::scene, fmt::format("material {} is named twice", name), "name it once");
    if (std::ranges::find(on_walls, name) == on_walls.end()) refuse("is on no wall");
    if (!may_move(found->second)) refuse("states neither absorption by octave nor an admittance above 0");
  }
}

// As a run writes them.
Rendered weighed(const Recording& recording, const RenderOptions& options) {
  Rendered rendered = render(recording, options);
  weigh_receivers(rendered.ir, rendered.samples, options.weights);
  return rendered;
}

MovingMaterial moving_material(const Material& material) {
  MovingMaterial moving{material.name, material.kind, {}, {}, {}, {}, {}, {}};
  if (material.kind == Kind::admittance) {
    moving.alpha = {material.admittance};
    moving.bands = {0.0};
    return moving;
  }
  std::vector<std::pair<double, double>> bands;
  for (std::size_t i = 0; i < material.bands.size(); ++i) bands.emplace_back(material.bands[i], material.alpha[i]);
  std::ranges::sort(bands);
  for (const auto& [band, alpha] : bands) moving.bands.push_back(band), moving.alpha.push_back(alpha);
  return moving;
}

SmoothBandLaw law_at(const MovingMaterial& material, const std::vector<double>& values) {
  if (material.kind == Kind::absorption) return smooth_band_law(material.bands, values);
  return {{{0.0, 1.0 / values.front(), 0.0}}, {}};
}

const MovedMaterial& moved_to(MovingMaterial& material, std::vector<double> values) {
  constexpr std::size_t most_known = 4;
  std::vector<MovedMaterial>& known = material.known;
  if (const auto same = std::ranges::find(known, values, &MovedMaterial::values); same != known.end()) {
    std::rotate(same, same + 1, known.end());
    return known.back();
  }
  SmoothBandLaw law = law_at(material, values);
  MovingLaws::Place place = material.on_grid->at(law.branches);
  if (known.size() == most_known) known.erase(known.begin());
  return known.emplace_back(MovedMaterial{std::move(values), std::move(law), std::move(place)});
}

// From derivatives by the logarithms of the branches' terms to those by the material's numbers.
std::vector<double> by_numbers(const MovingMaterial& material, const MovedMaterial& moved,
                               const std::vector<double>& by_terms) {
  if (material.kind == Kind::admittance) return {-by_terms[1] / moved.values.front()};
  std::vector<double> by(moved.values.size(), 0.0);
  for (std::size_t i = 0; i < by_terms.size(); ++i)
    for (std::size_t k = 0; k < by.size(); ++k) by[k] += by_terms[i] * moved.law.slopes[i * by.size() + k];
  return by;
}

}  // namespace

std::vector<std::string> movable_materials(const Scene& scene) {
  std::vector<std::string> names;
  for (const std::string& name : movable_on_walls(scene)) {
    const TextPlace& place = scene.materials.at(name).place;
    if (place.line > 0 || place.set > 0) names.push_back(name);  // others are from the library, by their names alone
  }
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const TextPlace& place = scene.materials.at(name).place;
    return std::tuple(place.set, place.line, place.column);
  });
  return names;
}

struct RoomGradient::Room {
  Scene scene;
  Target target;
  int threads = 0;
  PlanResult planned;
  PlannedGradient gradient;
  std::vector<MovingMaterial> materials;
  std::vector<WallParameter> parameters;
  MovingPoints points;
  std::vector<double> coordinates;  // of the points, at which the plan's taps and the rendering are
  std::vector<WallLaw> own_laws;    // of the scene: rendering is theirs, whatever the walls
  RenderOptions rendering;
  std::unique_ptr<Backend> backend;
  LawSetting setting;

  std::vector<double> values_of(const MovingMaterial& material, std::span<const double>& rest) const;
  void find_laws(MovingMaterial& material);
  std::vector<MovedMaterial> move_to(std::span<const double> values);  // every material and point
  void place_points(std::span<const double> at);
  RenderOptions rendering_at(std::span<const double> at);
  std::vector<double> by_coordinates(const Gradient& found, std::span<const double> by_weighed);
  void plan_memory(std::int64_t asked);
  std::vector<LawChange> changes_by_admittance(const std::vector<MovedMaterial>& moved) const;
};

// The numbers of a material, the first of `rest` in the octaves that move; drops these.
std::vector<double> RoomGradient::Room::values_of(const MovingMaterial& material, std::span<const double>& rest) const {
  std::vector<double> values = material.alpha;
  for (const std::size_t k : material.moves) {
    const double value = rest.front();
    rest = rest.subspan(1);
    const double most = material.kind == Kind::absorption ? 1.0 : 1e6;
    if (!(value > 0.0 && value <= most))
      throw Error(Status::scene,
                  fmt::format("{} of material {} is not above 0 and at most {:g}", value, material.name, most),
                  "bound the parameters");
    values[k] = value;
  }
  return values;
}

void RoomGradient::Room::find_laws(MovingMaterial& material) {
  const std::vector<WallLaw>& all = planned.plan.boundary.laws;
  std::vector<WallLaw> own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = planned.materials[static_cast<std::size_t>(all[i].material)].name;
    if (name != material.name) continue;
    material.laws.push_back(i);
    own.push_back(all[i]);
  }
  if (own.empty())
    throw Error(Status::scene, fmt::format("material {} is on no wall of the grid, and cannot move", material.name),
                "leave it out of the materials that move");
  const double top = planned.choice.max_frequency;
  for (std::size_t k = 0; k < material.bands.size(); ++k) {
    if (k > 0 && material.bands[k] > top * (1.0 + 1e-6)) break;
    if (!(material.alpha[k] > 0.0))
      throw Error(Status::scene,
                  fmt::format("material {} absorbs nothing at {:g} Hz, and a gradient is by coefficients above 0",
                              material.name, material.bands[k]),
                  "state a coefficient above 0 there, such as 0.001, or leave the material out of those that move");
    material.moves.push_back(k);
    parameters.push_back({material.name, material.bands[k], material.alpha[k]});
  }
  material.on_grid.emplace(std::move(own), setting);
}

std::vector<MovedMaterial> RoomGradient::Room::move_to(std::span<const double> values) {
  if (const std::size_t count = parameters.size() + points.coordinates(); values.size() != count)
    throw Error(Status::scene, fmt::format("{} values for {} parameters", values.size(), count));
  std::vector<std::vector<double>> of_materials;
  for (const MovingMaterial& material : materials) of_materials.push_back(values_of(material, values));
  place_points(values);
  std::vector<MovedMaterial> all;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    all.push_back(moved_to(materials[m], std::move(of_materials[m])));
    const std::vector<WallLaw> laws = materials[m].on_grid->laws(all[m].place);
    for (std::size_t i = 0; i < laws.size(); ++i) planned.plan.boundary.laws[materials[m].laws[i]] = laws[i];
  }
  return all;
}

void RoomGradient::Room::place_points(std::span<const double> at) {
  if (std::ranges::equal(at, coordinates)) return;
  rendering = rendering_at(at);
  coordinates.assign(at.begin(), at.end());
}

// Leaves the plan with the points there and the walls of the scene.
RenderOptions RoomGradient::Room::rendering_at(std::span<const double> at) {
  coordinates.clear();  // not known until the plan is whole
  points.move(planned.plan, at);
  planned.plan.boundary.laws = own_laws;
  return render_options(scene, planned.plan, planned.bandwidth());
}

// Of the change of the weights, in the two runs, and of rendering one record, by differences. `by_weighed`: the slopes of
// the loss by the responses.
std::vector<double> RoomGradient::Room::by_coordinates(const Gradient& found, std::span<const double> by_weighed) {
  std::vector<double> slopes;
  auto of_source = found.source_changes.begin(), of_receiver = found.receiver_changes.begin();
  for (const MovingPoint& point : points.points())
    for (int axis = 0; axis < 3; ++axis) slopes.push_back(point.source ? *of_source++ : *of_receiver++);
  const std::vector<double> here = coordinates;
  for (std::size_t c = 0; c < here.size(); ++c) {
    const auto [middle, half] = points.difference(planned.plan, here, c);
    for (const double side : {1.0, -1.0}) {
      std::vector<double> at = here;
      at[c] += middle + side * half;
      const std::vector<double> ir = weighed(found.recording, rendering_at(at)).ir;
      slopes[c] += side * std::inner_product(ir.begin(), ir.end(), by_weighed.begin(), 0.0) / (2.0 * half);
    }
  }
  if (!here.empty()) place_points(here);
  return slopes;
}

// Chosen once: every gradient takes the memory and the runs that were stated.
void RoomGradient::Room::plan_memory(std::int64_t asked) {
  std::int64_t free = 0;
  if (target.on_gpu()) {
    backend->load(planned.plan, whole(planned.plan));
    free = gradient_allowance(*backend);
  } else {
    free = std::max<std::int64_t>(0, available_memory() - planned.memory.total()) / 2;
  }
  std::int64_t allowed = asked > 0 ? asked : free;
  if (target.on_gpu()) allowed = std::min(allowed, free);
  gradient = planned_gradient(planned.plan, allowed, target.on_gpu());
  if (const std::int64_t there = 2 * free; !target.on_gpu() && gradient.memory.bytes > there)
    throw Error(Status::resource,
                fmt::format("the gradient would take {} of the {} that it may, and {} are there beside the run",
                            human_bytes(static_cast<double>(gradient.memory.bytes)),
                            human_bytes(static_cast<double>(allowed)), human_bytes(static_cast<double>(there))),
                "allow it less, or leave the memory to it: parts of the run are computed again then");
}

// Of every law, by the admittance of its material.
std::vector<LawChange> RoomGradient::Room::changes_by_admittance(const std::vector<MovedMaterial>& moved) const {
  std::vector<LawChange> changes;
  const std::vector<WallLaw>& laws = planned.plan.boundary.laws;
  for (const WallLaw& law : laws) {
    const MaterialFit& fit = planned.materials[static_cast<std::size_t>(law.material)];
    std::span<const Branch> branches = fit.branches;
    for (std::size_t m = 0; m < moved.size(); ++m)
      if (materials[m].name == fit.name) branches = moved[m].law.branches;
    const std::vector<WallWave> waves = waves_at(law, setting);
    changes.push_back(fits_on_grid(branches) && !waves.empty()
                          ? admittance_beside(law, branches, setting.time_step, waves)
                          : beside_as_it_is(law));
  }
  for (std::size_t m = 0; m < materials.size(); ++m) {  // those that move by it: as they do
    const MovingMaterial& material = materials[m];
    if (material.kind != Kind::admittance) continue;
    const double step = 1e-3 * moved[m].values.front();
    const auto laws_at = [&](double by) {
      return material.on_grid->laws(material.on_grid->at(law_at(material, {moved[m].values.front() + by}).branches));
    };
    const std::vector<WallLaw> up = laws_at(step), down = laws_at(-step);
    for (std::size_t i = 0; i < up.size(); ++i) changes[material.laws[i]] = difference_of(up[i], down[i], 2.0 * step);
  }
  return changes;
}

RoomGradient::RoomGradient(const SceneRequest& request, const std::optional<std::vector<std::string>>& materials,
                           std::int64_t memory, const std::vector<std::string>& points)
    : room_(std::make_unique<Room>()) {
  Room& room = *room_;
  room.scene = load(request);
  check_scene(room.scene);
  const std::vector<std::string> names = materials ? *materials : movable_materials(room.scene);
  check_materials(room.scene, names);
  if (!materials && names.empty() && points.empty())
    throw Error(Status::scene,
                "no material moves: none of [materials] is on a wall and states absorption by octave or an admittance "
                "above 0",
                movable_hint(room.scene));
  for (const std::string& name : names) {
    Material& material = room.scene.materials.at(name);
    room.materials.push_back(moving_material(material));
    material.smooth_law = true;
  }
  DeviceChoice device = choose_device(room.scene, request);
  if (!ranks().alone() || device.target.ranks > 1)
    throw Error(Status::resource, "a gradient needs the whole room on one device", "name one device, such as cuda:0");
  StencilChoice stencil = choose_stencil(room.scene, device.target);
  room.planned = plan_on(device, room.scene, stencil);
  room.target = device.target;
  room.threads = request.threads;
  room.planned.exchanged = false;
  room.planned.plan.stop.decay_db = 0.0;  // all responses as long as each other's, whatever the walls
  const GridChoice& choice = room.planned.choice;
  room.setting = {choice.grid_stencil, choice.frequency_map, choice.grid.time_step, choice.max_frequency};
  for (MovingMaterial& material : room.materials) room.find_laws(material);
  room.rendering = render_options(room.scene, room.planned.plan, room.planned.bandwidth());
  room.points = MovingPoints(room.scene, room.planned, points);
  room.own_laws = room.planned.plan.boundary.laws;
  BackendOptions options;
  options.threads = request.threads;
  options.ranks = &ranks();
  room.backend = make_backend(device.target, options);
  room.plan_memory(memory);
  room.gradient.materials = names;
}

RoomGradient::~RoomGradient() = default;

const std::vector<WallParameter>& RoomGradient::parameters() const { return room_->parameters; }

std::vector<WallTable> RoomGradient::tables() const {
  std::vector<WallTable> tables;
  for (const MovingMaterial& one : room_->materials) tables.push_back({one.name, one.bands, one.alpha});
  return tables;
}

const std::vector<MovingPoint>& RoomGradient::points() const { return room_->points.points(); }

const PlannedGradient& RoomGradient::planned() const { return room_->gradient; }

PlannedGradient RoomGradient::timed() {
  Room& room = *room_;
  PlannedGradient timed = room.gradient;
  const PredictedTime run = predict_time(room.scene, room.planned, room.target, room.threads, false, 0.0);
  timed.seconds = gradient_seconds(timed, run.steps);
  return timed;
}

Rendered RoomGradient::responses(std::span<const double> values, const std::function<bool()>& stop) {
  room_->move_to(values);
  RunCallbacks callbacks;
  callbacks.stop = stop;
  return weighed(run(room_->planned.plan, *room_->backend, callbacks), room_->rendering);
}

ParameterSlopes RoomGradient::operator()(std::span<const double> values, const ResponseLoss& loss, bool with_map,
                                         const std::function<bool()>& stop) {
  Room& room = *room_;
  const std::vector<MovedMaterial> moved = room.move_to(values);
  GradientOptions options;
  options.stop = stop;
  options.memory = room.gradient.allowed;
  const Plan& plan = room.planned.plan;
  MovingPoints::Changes changes = room.points.changes(plan, room.coordinates);
  options.source_changes = std::move(changes.sources);
  options.receiver_changes = std::move(changes.receivers);
  std::vector<double> by_weighed;
  const auto of_record = [&](const Recording& recording, std::span<double> slopes) {
    const Rendered rendered = weighed(recording, room.rendering);
    std::vector<double> by_response(rendered.ir.size(), 0.0);
    const double J = loss(rendered, recording.sources, recording.receivers, by_response);
    if (!options.source_changes.empty() || !options.receiver_changes.empty()) by_weighed = by_response;
    weigh_receivers(by_response, rendered.samples, room.rendering.weights);
    std::ranges::copy(render_transposed(recording, room.rendering, std::move(by_response)), slopes.begin());
    return J;
  };
  const Gradient found = gradient(plan, *room.backend, of_record, options);
  const std::vector<LawSlopes> laws = by_law(plan, found.walls);
  ParameterSlopes result;
  result.loss = found.loss;
  for (std::size_t m = 0; m < room.materials.size(); ++m) {
    const MovingMaterial& material = room.materials[m];
    std::vector<LawSlopes> own;
    for (const std::size_t law : material.laws) own.push_back(laws[law]);
    const std::vector<double> by = by_numbers(material, moved[m], material.on_grid->slopes(moved[m].place, own));
    for (const std::size_t k : material.moves) result.slopes.push_back(by[k]);
  }
  if (with_map) {
    result.map = sensitivity_map(plan, found.walls, room.changes_by_admittance(moved));
    for (auto& position : result.map->position)  // of the grid, to those of the scene
      for (std::size_t d = 0; d < 3; ++d) position[d] -= room.planned.choice.offset[d];
    for (const MaterialFit& one : room.planned.materials) result.map_materials.push_back(one.name);
  }
  std::ranges::copy(room.by_coordinates(found, by_weighed), std::back_inserter(result.slopes));
  return result;
}

}  // namespace fdtd
