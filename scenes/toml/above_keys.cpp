#include "scenes/toml/above_keys.hpp"

#include "scenes/toml/key_readers.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

const std::vector<std::string> methods = {"auto", "rays", "none"};  // in the order of Above::Method

void read_method(Above& into, const At& at) {
  if (const auto word = at.choice(methods))
    into.method = static_cast<Above::Method>(std::ranges::find(methods, *word) - methods.begin());
}

// A whole number in `range`, or "auto".
Reader<Above> number_or_auto(std::optional<int> Above::*member, Range range) {
  return {[=](Above& into, const At& at) {
            if (at.value.kind == Value::Kind::text && at.value.text == "auto") return;
            if (const auto x = at.whole_number(range)) into.*member = *x;
          },
          {"whole number or \"auto\"", range, {}},
          [](const Above&) { return std::string("\"auto\""); }};
}

const std::vector<Key<Above>>& above_keys() {
  using A = Above;
  static const std::vector<Key<A>> keys = {
      {"method",
       {read_method,
        {"text", {}, methods},
        [](const A& one) { return toml(methods[static_cast<std::size_t>(one.method)]); }},
       "Origin of the response above the waves' band: \"rays\" adds image sources and rays up to 20 kHz, with "
       "\"none\" responses end where waves do; \"auto\" is \"rays\" unless the room is one cell across, or the counted "
       "work of geometry is more than 10^10 image sources take, some 25 minutes of a core, or than 2.4 x 10^8 samples "
       "of responses: a note then says so."},
      {"rays", number_or_auto(&A::rays, {1000, 1e8}),
       "Number of rays a source; \"auto\" takes as many as keep the deviation of an octave's energy in 10 ms below 5 "
       "%, at least 20 000, and doubles them until T20 of every receiver and octave agrees within 3 % between two "
       "halves "
       "of the rays, up to 2 000 000, or to the time of a fifth of the steps or some seconds; the run states the "
       "spread "
       "that remains."},
      {"image_order", number_or_auto(&A::image_order, {0, 20}),
       "Reflections up to which specular paths are image sources, with pressure and phase; \"auto\" takes all of a "
       "box, "
       "and of a mesh up to 6."},
      {"crossover", number(&A::crossover, {20, 20000, "Hz"}, &A::crossover_place),
       "Frequency above which waves have no part in the response; by default, and at most, that up to which they are "
       "valid. Half an octave below it they are alone."},
      {"seed", whole_number(&A::seed, {0, 2147483647}),
       "Seed of the rays and of the noise of late sound: the same seed gives the same bytes."},
  };
  return keys;
}

}  // namespace

void read_above(Scene& scene, const At& at) { read_table(scene.above, at, above_keys()); }

std::vector<KeyTable> above_tables() {
  return {describe_table({"above", "[above]",
                          R"(The response above the frequency up to which waves are computed: image sources and rays
with the same materials.)",
                          R"([above]
method = "auto"             # "none": responses end at max_frequency
rays = "auto"
image_order = "auto"
crossover = 900.0           # Hz
seed = 0
)"},
                         above_keys())};
}

}  // namespace fdtd
