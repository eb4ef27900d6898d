// A box from its scene to its impulse response, as `fdtd run` computes it, and the exact response by image sources.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"

namespace fdtd::test {

struct BoxSpec {
  std::array<double, 3> box{};  // m, rigid
  std::array<double, 3> source{}, receiver{};
  std::string stencil = "leggy-4";
  std::string precision = "f64";
  double max_frequency = 0.0, dispersion_error = 0.001;  // Hz, relative
  double duration = 0.0;                                 // s
  bool tail = true;       // run longer, by render_tail: `duration` is then free of the record's end
  double low_cut = 20.0;  // Hz
};
inline constexpr double box_sound_speed = 343.0;

struct BoxRun {
  PlanResult planned;
  Recording recording;
  RenderOptions options;
  Rendered rendered;  // of BoxSpec::duration, at 48 kHz
};

// Throws when the scene has problems.
BoxRun run_box(const BoxSpec& spec);

// The exact response by image sources (J. B. Allen, D. A. Berkley, "Image method for efficiently simulating small-room
// acoustics", JASA 65, 1979), rigid walls, in the same band, with the same low-cut, at 48 kHz.
std::vector<double> image_sources(const BoxSpec& spec);

}  // namespace fdtd::test
