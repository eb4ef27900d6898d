// The gradient of a loss of a scene's responses by its walls and by the places of its sources and receivers: from the
// scene's text to derivatives by absorption coefficients and coordinates, through rendering (responses/render.hpp), the
// run (adjoint/gradient.hpp), the walls' laws on the grid (adjoint/moving_laws.hpp), the law of a material
// (materials/band_law.hpp) and the weights of sources and receivers (moving_points.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/adjoint/planned_gradient.hpp"
#include "engine/adjoint/sensitivity_map.hpp"
#include "engine/responses/render.hpp"
#include "engine/session/moving_points.hpp"
#include "engine/session/scene_request.hpp"

namespace fdtd {

// A number of a material: the absorption coefficient of an octave, or the real admittance.
struct WallParameter {
  std::string material;
  double band = 0.0;  // Hz; 0: the admittance
  double value = 0.0;
};

// All numbers of a material by band, as the scene has them: also those above the run's band, which are no parameters.
struct WallTable {
  std::string material;
  std::vector<double> bands, values;  // bands as WallParameter::band
};

// J of the responses; slopes[i] becomes dJ / d rendered.ir[i], all 0 before. The names are those of the plan's channels.
using ResponseLoss = std::function<double(const Rendered& rendered, const std::vector<ChannelId>& sources,
                                          const std::vector<ChannelId>& receivers, std::span<double> slopes)>;

struct ParameterSlopes {
  double loss = 0.0;
  std::vector<double> slopes;  // by value: parameters, then coordinates by metre
  std::optional<SensitivityMap> map;
  std::vector<std::string> map_materials;  // that SensitivityMap::material numbers
};

// The materials in [materials] of a scene that may move and are on walls, in its order.
std::vector<std::string> movable_materials(const Scene& scene);

// One room on one grid, whose materials, sources and receivers move: planned once, for the scene's own.
class RoomGradient {
 public:
  // By the octaves of `materials` up to the run's band, the lowest whatever the band, or by their admittance; nothing:
  // movable_materials(), of which there must be one unless points move. Their laws are smooth (Material::smooth_law): a
  // plain run of the scene with such laws has the same walls. Throws SceneError, and Error: status scene where a scene has
  // more than waves, a material is on no wall, states neither absorption nor an admittance, or absorbs nothing in an
  // octave; resource where several ranks would be needed, or the memory for the walls' histories does not suffice.
  // `memory`: bytes for these; 0: what gradient_allowance() says. `points`: the sources and receivers that move
  // (MovingPoints).
  RoomGradient(const SceneRequest& request, const std::optional<std::vector<std::string>>& materials,
               std::int64_t memory = 0, const std::vector<std::string>& points = {});
  ~RoomGradient();
  RoomGradient(const RoomGradient&) = delete;
  RoomGradient& operator=(const RoomGradient&) = delete;

  const std::vector<WallParameter>& parameters() const;  // with the scene's values
  std::vector<WallTable> tables() const;                 // of the materials that move
  const std::vector<MovingPoint>& points() const;
  const PlannedGradient& planned() const;  // that every call of operator() keeps to
  // The same with the seconds of a call, for which some steps are timed.
  PlannedGradient timed();
  // Responses with the parameters, then x, y and z (m, in the scene) of each point, at `values`: one run.
  Rendered responses(std::span<const double> values, const std::function<bool()>& stop = {});
  // With these at `values`: two runs. `stop`: true ends with Error (interrupted). Throws Error: status scene for numbers of
  // materials outside 0..1 or not above 0, and for points that are in no air voxel.
  //
  // Derivatives by coordinates are those of the weights on the grid's nodes, which bend on nodes and halfway between them,
  // and of rendering, whose gains and near fields are those of the places.
  ParameterSlopes operator()(std::span<const double> values, const ResponseLoss& loss, bool with_map,
                             const std::function<bool()>& stop = {});

 private:
  struct Room;
  std::unique_ptr<Room> room_;
};

}  // namespace fdtd
