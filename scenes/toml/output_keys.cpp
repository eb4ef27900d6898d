#include "scenes/toml/output_keys.hpp"

#include <fmt/format.h>

#include "scenes/toml/key_readers.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

const std::vector<Key<SnapshotSpec>>& snapshot_keys() {
  using S = SnapshotSpec;
  constexpr Range seconds{0, 3600, "s"};
  const auto position = number(&S::position, any_metres, &S::position_place);
  static const std::vector<Key<S>> keys = {
      {"plane", choice(&S::plane, {"x", "y", "z", "volume"}),
       "The axis that the plane is perpendicular to, or the whole grid.", "plane = \"z\", x, y or volume"},
      {"position",
       {[=](S& into, const At& at) {
          into.has_position = true;
          position.read(into, at);
        },
        position.type},
       "Coordinate of the plane along its axis: the nearest plane of nodes is stored; required for a plane."},
      {"every", number(&S::every, {0, 3600, "s", true}, &S::every_place), "Time between two frames.",
       "every = 0.001, in s"},
      {"begin", number(&S::begin, seconds), "Time of the first frame."},
      {"end", number(&S::end, seconds, &S::end_place),
       "Time after which there are no frames; `simulation.duration` by default."},
  };
  return keys;
}

void read_snapshots(OutputSpec& output, const At& at) {
  if (!at.is_list("tables")) return;
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    const At one = at.item(i);
    SnapshotSpec snapshot;
    snapshot.place = snapshot.position_place = one.value.place;
    read_table(snapshot, one, snapshot_keys());
    output.snapshots.push_back(std::move(snapshot));
  }
}

const std::vector<Key<OutputSpec>>& output_keys() {
  using O = OutputSpec;
  static const std::vector<Key<O>> keys = {
      {"sample_rate", whole_number(&O::sample_rate, {8000, 384000, "Hz"}), "Sample rate of the audio files."},
      {"format", choice(&O::format, {"float", "pcm24"}),
       "Samples of the WAV files: 32-bit floating point, or 24-bit integers, which clip at 1."},
      {"low_cut", number(&O::low_cut, {0, 192000, "Hz"}, &O::low_cut_place),
       "Corner frequency of the high-pass filter of the responses; 0 switches it off: in f32 the static pressure of a "
       "closed "
       "room then drifts by rounding."},
      {"raw", boolean(&O::raw),
       "Also store the unfiltered responses at the simulation's own sample rate, as /raw/R/pressure of result.h5."},
      {"snapshots",
       {read_snapshots, {"list of tables", {}, {}}, [](const O&) { return std::string("[]"); }},
       "Frames of the pressure field, in snapshots.h5 and snapshots.xdmf."},
  };
  return keys;
}

}  // namespace

void read_output(Scene& scene, const At& at) { read_table(scene.output, at, output_keys()); }

std::vector<KeyTable> output_tables() {
  return {describe_table({"output", "[output]",
                          R"(Files besides the plan and the figures of merit. `fdtd render` makes the audio files again
from result.h5, with another sample rate, format or low cut, without a new simulation.)",
                          R"([output]
sample_rate = 48000         # Hz
format = "float"
low_cut = 20.0              # Hz
raw = false
snapshots = [
  { plane = "z", position = 1.5, every = 0.001 },
  { plane = "volume", every = 0.005, begin = 0.0, end = 0.05 },
]
)"},
                         output_keys()),
          describe_table(
              {
                  "output.snapshots.*",
                  "Snapshots: { plane = ..., every = ... }",
                  R"(Each entry of the list `snapshots` stores the pressure on a plane of nodes, or in the whole grid,
at equal time intervals. The frames show a smooth pulse of bandwidth `max_frequency` instead of the unit impulse of
the responses: 1 is the peak of its free-field pressure at 1 m.)",
                  "",
              },
              snapshot_keys())};
}

}  // namespace fdtd
