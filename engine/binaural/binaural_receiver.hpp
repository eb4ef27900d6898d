// The binaural receivers of a scene, and their responses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/axes.hpp"
#include "base/problem.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "engine/plan/channel_id.hpp"
#include "engine/responses/render.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct BinauralReceiver {
  std::string name;  // the scene's
  std::string file;  // of the head's responses, as written
  Point front{1.0, 0.0, 0.0}, up{0.0, 0.0, 1.0};
  std::vector<double> rotations;              // degrees to its left
  std::shared_ptr<const EarFilters> filters;  // of a head that looks along x; several receivers may share them
  // [source][rotation][left, right][sample], of the sources that are shown (groups_of), as long as other responses.
  std::vector<double> ears;
  std::vector<std::vector<double>> cuts{};  // by source, of ears_of: of how its channels were rendered
};

// In the order of the scene, without ears. Reads each file once. `remarks`: on the files; `problems`: those of files, at
// their keys (read_head, design_ear_filters). Throws Error (status resource) alone.
std::vector<BinauralReceiver> binaural_receivers(const Scene& scene, std::vector<std::string>& remarks,
                                                 std::vector<Problem>& problems);

// Fills `cuts`. Throws Error (scene) where the channels do not fit the filters.
void set_cuts(const std::vector<ChannelId>& sources, const std::vector<ChannelId>& receivers,
              const RenderOptions& options, std::vector<BinauralReceiver>& binaural);

// Fills `ears` and `cuts` from channels rendered with those options. Throws as set_cuts.
void render_ears(const std::vector<ChannelId>& sources, const std::vector<ChannelId>& receivers,
                 const Rendered& rendered, const RenderOptions& options, std::vector<BinauralReceiver>& binaural);

// Of its head in the scene, turned by `yaw` degrees to its left.
Axes axes_of(const BinauralReceiver& receiver, double yaw);

// s, by which sound may be at an ear before it is at the middle of the head.
inline constexpr double ears_ahead = 5e-4;

}  // namespace fdtd
