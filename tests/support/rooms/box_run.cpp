#include "tests/support/rooms/box_run.hpp"
#include "tests/support/scene_text.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "base/math/fourier.hpp"
#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/run/run.hpp"
#include "engine/transducers/source_gain.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::test {

namespace {

constexpr double output_rate = 48000.0;
constexpr double stop_ratio = 1.2;  // of render's low-pass

std::string list(const std::array<double, 3>& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }

// Distances of all images closer than `reach`.
std::vector<double> distances(const BoxSpec& spec, double reach) {
  std::array<std::vector<double>, 3> offsets;  // along each axis, image minus receiver
  for (std::size_t d = 0; d < 3; ++d) {
    const int max = static_cast<int>(reach / (2.0 * spec.box[d])) + 2;
    for (int n = -max; n <= max; ++n)
      for (const double side : {-1.0, 1.0})
        offsets[d].push_back(2.0 * n * spec.box[d] + side * spec.source[d] - spec.receiver[d]);
  }
  std::vector<double> found;
  for (const double x : offsets[0])
    for (const double y : offsets[1])
      for (const double z : offsets[2]) {
        const double r = std::sqrt(x * x + y * y + z * z);
        if (r < reach) found.push_back(r);
      }
  return found;
}

}  // namespace

BoxRun run_box(const BoxSpec& spec) {
  SceneText scene;
  scene.simulation = fmt::format(
      "duration = {:.9f}\nmax_frequency = {:.9f}\ndispersion_error = {:.9f}\nprecision = \"{}\"\nstencil = \"{}\"\n",
      spec.duration + (spec.tail ? render_tail(spec.max_frequency) : 0.0), spec.max_frequency, spec.dispersion_error,
      spec.precision, spec.stencil);
  scene.air = fmt::format("sound_speed = {:.3f}\n", box_sound_speed);
  scene.box = list(spec.box);
  scene.materials = "[materials.panel]\nrigid = true\n";
  scene.source = list(spec.source);
  scene.receiver = list(spec.receiver);
  const ParsedScene parsed = parse_scene(text_of(scene), "box.toml");
  if (!parsed.problems.empty()) throw std::runtime_error(parsed.problems[0].message);
  BoxRun out;
  out.planned = make_plan(parsed.scene, *find_stencil(spec.stencil));
  out.recording = run(out.planned.plan, *make_cpu_backend({1, ""}));
  RenderOptions& options = out.options;
  options.low_cut = spec.low_cut;
  options.bandwidth = spec.max_frequency;
  options.duration = spec.duration;
  options.frequency_map = out.planned.choice.frequency_map;
  options.gain = channel_gain(out.planned.plan);
  out.rendered = render(out.recording, options);
  return out;
}

std::vector<double> image_sources(const BoxSpec& spec) {
  const LowPass low_pass{spec.max_frequency, stop_ratio * spec.max_frequency};
  const double time =
      spec.duration + 2.0 * low_pass.reach();  // images cut off there ring no further back than `duration`
  const auto lead = static_cast<std::ptrdiff_t>(2.0 * low_pass.reach() * output_rate);
  const std::int64_t length =
      smooth_length(lead + static_cast<std::int64_t>((time + 2.0 * low_pass.reach()) * output_rate));
  const auto paths = distances(spec, time * box_sound_speed);
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(length / 2 + 1), 0.0);
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double hertz = static_cast<double>(k) * output_rate / static_cast<double>(length),
                 omega = 2.0 * std::numbers::pi * hertz;
    const double gain = low_pass.response(hertz);
    if (gain == 0.0) break;
    for (const double r : paths) spectrum[k] += std::polar(gain / r, -omega * r / box_sound_speed);
    spectrum[k] *= 1.0 - std::polar(1.0, -omega / output_rate);
  }
  auto signal = inverse_real_fft(spectrum, length);
  std::rotate(signal.begin(), signal.end() - lead, signal.end());
  integrate_and_cut(signal, spec.low_cut, output_rate);
  return {signal.begin() + lead, signal.begin() + lead + std::llround(spec.duration * output_rate)};
}

}  // namespace fdtd::test
