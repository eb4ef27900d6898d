// The result of a run's recording: rendered responses, and all that result.h5 states of the scene and the program.
#pragma once

#include "engine/results/result.hpp"

namespace fdtd {

// Of a recording that simulation.stop has ended early, `options.duration` becomes what was recorded. The JSON documents
// and the facts of the run remain for the caller, and so does weigh_receivers(): its responses are those of the waves.
Result make_result(const Scene& scene, const Plan& plan, RenderOptions options, Recording&& recording);

}  // namespace fdtd
