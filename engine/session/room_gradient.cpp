#include "engine/session/room_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "engine/adjoint/gradient.hpp"
#include "engine/adjoint/moving_laws.hpp"
#include "engine/devices/devices.hpp"
#include "engine/materials/band_law.hpp"
#include "engine/run/run.hpp"
#include "engine/session/choices.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {

// A material whose walls move.
struct MovingMaterial {
  std::string name;
  Material::Kind kind = Material::Kind::absorption;
  std::vector<double> bands, alpha;  // all of them, by ascending band
  std::vector<std::size_t> moves;    // octaves that are parameters
  std::vector<std::size_t> laws;     // of the plan
  std::optional<MovingLaws> on_grid;
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

Material& material_of(Scene& scene, const std::string& name) {
  const auto found = scene.materials.find(name);
  if (found == scene.materials.end())
    throw Error(Status::scene, fmt::format("the scene has no material {}", name),
                "name materials of [materials] or of its walls");
  Material& material = found->second;
  const bool states = (material.kind == Kind::absorption && !material.bands.empty()) ||
                      (material.kind == Kind::admittance && material.admittance > 0.0);
  if (!states)
    throw Error(Status::scene,
                fmt::format("material {} states neither absorption by octave nor an admittance above 0", name),
                "give it bands and absorption, or admittance");
  return material;
}

// As a run writes them.
Rendered weighed(const Recording& recording, const RenderOptions& options) {
  Rendered rendered = render(recording, options);
  weigh_receivers(rendered.ir, rendered.samples, options.weights);
  return rendered;
}

MovingMaterial moving_material(const Material& material) {
  MovingMaterial moving{material.name, material.kind, {}, {}, {}, {}, {}};
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

// A material with its numbers at other values.
struct Moved {
  std::vector<double> values;
  SmoothBandLaw law;  // slopes: none of an admittance
  MovingLaws::Place place;
};

SmoothBandLaw law_at(const MovingMaterial& material, const std::vector<double>& values) {
  if (material.kind == Kind::absorption) return smooth_band_law(material.bands, values);
  return {{{0.0, 1.0 / values.front(), 0.0}}, {}};
}

// From derivatives by the logarithms of the branches' terms to those by the material's numbers.
std::vector<double> by_numbers(const MovingMaterial& material, const Moved& moved,
                               const std::vector<double>& by_terms) {
  if (material.kind == Kind::admittance) return {-by_terms[1] / moved.values.front()};
  std::vector<double> by(moved.values.size(), 0.0);
  for (std::size_t i = 0; i < by_terms.size(); ++i)
    for (std::size_t k = 0; k < by.size(); ++k) by[k] += by_terms[i] * moved.law.slopes[i * by.size() + k];
  return by;
}

}  // namespace

struct RoomGradient::Room {
  Scene scene;
  PlanResult planned;
  std::vector<MovingMaterial> materials;
  std::vector<WallParameter> parameters;
  RenderOptions rendering;
  std::unique_ptr<Backend> backend;

  std::vector<double> values_of(const MovingMaterial& material, std::span<const double>& rest) const;
  void find_laws(MovingMaterial& material, const LawSetting& setting);
  std::vector<Moved> move_to(std::span<const double> values);  // every material
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

void RoomGradient::Room::find_laws(MovingMaterial& material, const LawSetting& setting) {
  const std::vector<WallLaw>& all = planned.plan.boundary.laws;
  std::vector<WallLaw> own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = planned.materials[static_cast<std::size_t>(all[i].material)].name;
    if (name != material.name) continue;
    material.laws.push_back(i);
    own.push_back(all[i]);
  }
  if (own.empty()) throw Error(Status::scene, fmt::format("material {} is on no wall", material.name), "leave it out");
  const double top = planned.choice.max_frequency;
  for (std::size_t k = 0; k < material.bands.size(); ++k) {
    if (k > 0 && material.bands[k] > top * (1.0 + 1e-6)) break;
    material.moves.push_back(k);
    parameters.push_back({material.name, material.bands[k], material.alpha[k]});
  }
  material.on_grid.emplace(std::move(own), law_at(material, material.alpha).branches, setting);
}

std::vector<Moved> RoomGradient::Room::move_to(std::span<const double> values) {
  if (values.size() != parameters.size())
    throw Error(Status::scene, fmt::format("{} values for {} parameters", values.size(), parameters.size()));
  std::vector<Moved> all;
  for (const MovingMaterial& material : materials) all.push_back({values_of(material, values), {}, {}});
  for (std::size_t m = 0; m < materials.size(); ++m) {
    Moved& moved = all[m];
    moved.law = law_at(materials[m], moved.values);
    moved.place = materials[m].on_grid->at(moved.law.branches);
    const std::vector<WallLaw> laws = materials[m].on_grid->laws(moved.place);
    for (std::size_t i = 0; i < laws.size(); ++i) planned.plan.boundary.laws[materials[m].laws[i]] = laws[i];
  }
  return all;
}

RoomGradient::RoomGradient(const SceneRequest& request, const std::vector<std::string>& materials)
    : room_(std::make_unique<Room>()) {
  Room& room = *room_;
  room.scene = load(request);
  check_scene(room.scene);
  for (const std::string& name : materials) {
    Material& material = material_of(room.scene, name);
    room.materials.push_back(moving_material(material));
    if (material.kind != Kind::absorption) continue;
    material.kind = Kind::branches;
    material.branches = law_at(room.materials.back(), room.materials.back().alpha).branches;
  }
  DeviceChoice device = choose_device(room.scene, request);
  if (!ranks().alone() || device.target.ranks > 1)
    throw Error(Status::resource, "a gradient needs the whole room on one device", "name one device, such as cuda:0");
  StencilChoice stencil = choose_stencil(room.scene, device.target);
  room.planned = plan_on(device, room.scene, stencil);
  room.planned.plan.stop.decay_db = 0.0;  // all responses as long as each other's, whatever the walls
  const GridChoice& choice = room.planned.choice;
  const LawSetting setting{choice.grid_stencil, choice.frequency_map, choice.grid.time_step, choice.max_frequency};
  for (MovingMaterial& material : room.materials) room.find_laws(material, setting);
  room.rendering = render_options(room.scene, room.planned.plan, room.planned.bandwidth());
  BackendOptions options;
  options.threads = request.threads;
  options.ranks = &ranks();
  room.backend = make_backend(device.target, options);
}

RoomGradient::~RoomGradient() = default;

const std::vector<WallParameter>& RoomGradient::parameters() const { return room_->parameters; }

Rendered RoomGradient::responses(std::span<const double> values, const std::function<bool()>& stop) {
  room_->move_to(values);
  RunCallbacks callbacks;
  callbacks.stop = stop;
  return weighed(run(room_->planned.plan, *room_->backend, callbacks), room_->rendering);
}

ParameterSlopes RoomGradient::operator()(std::span<const double> values, const ResponseLoss& loss, bool with_map,
                                         const std::function<bool()>& stop) {
  Room& room = *room_;
  const std::vector<Moved> moved = room.move_to(values);
  GradientOptions options;
  options.stop = stop;
  const Plan& plan = room.planned.plan;
  const auto of_record = [&](const Recording& recording, std::span<double> slopes) {
    const Rendered rendered = weighed(recording, room.rendering);
    std::vector<double> by_response(rendered.ir.size(), 0.0);
    const double J = loss(rendered, recording.sources, recording.receivers, by_response);
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
  if (!with_map) return result;
  result.map = sensitivity_map(plan, found.walls);
  for (auto& position : result.map->position)  // of the grid, to those of the scene
    for (std::size_t d = 0; d < 3; ++d) position[d] -= room.planned.choice.offset[d];
  for (const MaterialFit& one : room.planned.materials) result.map_materials.push_back(one.name);
  return result;
}

}  // namespace fdtd
