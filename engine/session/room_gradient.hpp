// The gradient of a loss of a scene's responses by its walls: from the scene's text to derivatives by absorption
// coefficients, through rendering (responses/render.hpp), the run (adjoint/gradient.hpp), the walls' laws on the grid
// (adjoint/moving_laws.hpp) and the law of a material (materials/band_law.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/adjoint/sensitivity_map.hpp"
#include "engine/responses/render.hpp"
#include "engine/session/scene_request.hpp"

namespace fdtd {

// A number of a material: the absorption coefficient of an octave, or the real admittance.
struct WallParameter {
  std::string material;
  double band = 0.0;  // Hz; 0: the admittance
  double value = 0.0;
};

// J of the responses; slopes[i] becomes dJ / d rendered.ir[i], all 0 before. The names are those of the plan's channels.
using ResponseLoss = std::function<double(const Rendered& rendered, const std::vector<std::string>& sources,
                                          const std::vector<std::string>& receivers, std::span<double> slopes)>;

struct ParameterSlopes {
  double loss = 0.0;
  std::vector<double> slopes;  // by parameter
  std::optional<SensitivityMap> map;
  std::vector<std::string> map_materials;  // that SensitivityMap::material numbers
};

// One room on one grid, whose materials move: planned once, for the scene's own coefficients.
class RoomGradient {
 public:
  // By the octaves of `materials` within the run's band, or by their admittance. Stated absorption is met by the smooth
  // law (smooth_band_law). Throws SceneError, and Error: status scene where a scene has more than waves, a material is on
  // no wall or states neither absorption nor an admittance; resource where several ranks would be needed.
  RoomGradient(const SceneRequest& request, const std::vector<std::string>& materials);
  ~RoomGradient();
  RoomGradient(const RoomGradient&) = delete;
  RoomGradient& operator=(const RoomGradient&) = delete;

  const std::vector<WallParameter>& parameters() const;  // with the scene's values
  // Responses with the parameters at `values`: one run.
  Rendered responses(std::span<const double> values, const std::function<bool()>& stop = {});
  // With the parameters at `values`: two runs. `stop`: true ends with Error (interrupted). Throws Error: status scene for
  // values outside 0..1 or not above 0.
  ParameterSlopes operator()(std::span<const double> values, const ResponseLoss& loss, bool with_map,
                             const std::function<bool()>& stop = {});

 private:
  struct Room;
  std::unique_ptr<Room> room_;
};

}  // namespace fdtd
