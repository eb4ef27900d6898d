#include "scenes/point_keys.hpp"

#include <fmt/format.h>

#include "scenes/key_readers.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

void read_signal(SourceSpec& into, const At& at) {
  into.signal_place = at.value.place;
  const auto word = at.text();
  if (!word) return;
  into.signal = *word;
  if (*word == "impulse") return;
  if (word->find('.') == word->npos && nearest_name(*word, {"impulse"}) == "impulse")  // "impulse.wav" is a file
    return at.fail(in_quotes(*word) + " is not a signal", "did you mean \"impulse\"?");
  if (auto path = at.file()) into.signal_path = *path;
}

template <class T>
Reader<T> pattern(const std::vector<std::string>& known) {
  return {[=](T& into, const At& at) {
            into.directivity.pattern_place = at.value.place;
            into.directivity.pattern = at.choice(known).value_or("");  // empty: a problem is recorded
          },
          {"text", {}, known},
          [](const T& one) { return toml(one.directivity.pattern); }};
}

template <class T>
Reader<T> direction() {
  const auto vector = position(&Directivity::direction, {-unlimited, unlimited}, &Directivity::direction_place);
  return {[=](T& into, const At& at) {
            vector.read(into.directivity, at);
            if (into.directivity.direction == std::array<double, 3>{} && at.value.items.size() == 3)
              at.fail("must not be zero in all three numbers");
          },
          vector.type};
}

constexpr Range ambisonic_orders{1, 3};

void read_order(ReceiverSpec& into, const At& at) {
  into.directivity.order_place = at.value.place;
  if (const auto order = at.whole_number(ambisonic_orders)) into.directivity.order = *order;
}

std::vector<std::string> receiver_patterns() {
  std::vector<std::string> all = cardioid_family();
  all.emplace_back("ambisonic");
  return all;
}

const std::vector<Key<SourceSpec>>& source_keys() {
  using S = SourceSpec;
  static const std::vector<Key<S>> keys = {
      {"name", name(&S::name, &S::name_place),
       "Name of the source, part of the names of its files where there are several sources.", "name = \"S1\""},
      {"position", position(&S::position, any_metres, &S::position_place), "Position (x, y, z) inside the room.",
       "position = [x, y, z], in m"},
      {"signal",
       {read_signal,
        {"\"impulse\", or path of a WAV or FLAC file of one channel", {}, {}},
        [](const S& one) { return toml(one.signal); }},
       "Signal that the source plays: with a file, recording_*.wav holds what each receiver records of it."},
      {"pattern", pattern<S>(cardioid_family()), "Directivity."},
      {"direction", direction<S>(),
       "Vector along the main lobe, of any length: required for every pattern but \"omni\"."},
  };
  return keys;
}

const std::vector<Key<ReceiverSpec>>& receiver_keys() {
  using R = ReceiverSpec;
  static const std::vector<Key<R>> keys = {
      {"name", name(&R::name, &R::name_place), "Name of the receiver: its response is ir_NAME.wav.", "name = \"R1\""},
      {"position", position(&R::position, any_metres, &R::position_place), "Position (x, y, z) inside the room.",
       "position = [x, y, z], in m"},
      {"pattern", pattern<R>(receiver_patterns()), "Directivity."},
      {"direction", direction<R>(),
       "Vector along the main lobe, of any length: required for every pattern but \"omni\" and \"ambisonic\"."},
      {"order",
       {read_order, {"whole number", ambisonic_orders, {}}},
       "Ambisonic order N, required for \"ambisonic\": (N + 1)² channels in ACN order and SN3D normalisation, x to the "
       "front, y to the left, z up."},
  };
  return keys;
}

// One struct for each table of the list; its keys are named after its own name where it has one.
template <class T>
void read_points(std::vector<T>& list, const std::vector<Key<T>>& keys, const At& at) {
  if (at.value.kind != Value::Kind::list) {
    return at.fail(fmt::format("must be a list of tables, not {}", describe(at.value)),
                   fmt::format("write [[{}]], with two brackets", at.where));
  }
  if (at.value.items.empty()) return at.fail("needs at least one");
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    At one = at.item(i);
    const Entry* name = one.value.find("name");
    if (name != nullptr && name->value.kind == Value::Kind::text && bad_name(name->value.text).empty()) {
      one.where = at.where + "." + name->value.text;
    }
    T point;
    point.place = point.position_place = one.value.place;
    read_table(point, one, keys);
    list.push_back(std::move(point));
  }
}

}  // namespace

void read_sources(Scene& scene, const At& at) { read_points(scene.sources, source_keys(), at); }
void read_receivers(Scene& scene, const At& at) { read_points(scene.receivers, receiver_keys(), at); }

std::vector<KeyTable> point_tables() {
  return {
      describe_table({"source.*", "[[source]]",
                      R"(One table for each sound source. Each source is simulated by itself, in a pass of its own (a
cardioid source in two), and every receiver records every source. The patterns are first-order: a share of
omnidirectional pressure and the rest of figure-eight: 1, 0.7, 0.5, 0.366, 0.25 and 0 of pressure for "omni" to
"figure-eight".)",
                      R"([[source]]
name = "S1"
position = [1.2, 1.5, 1.4]  # m
signal = "impulse"

[[source]]
name = "loudspeaker"
position = [0.5, 2.0, 1.2]
pattern = "cardioid"
direction = [1, 0, 0]
)"},
                     source_keys()),
      describe_table(
          {"receiver.*", "[[receiver]]",
           R"(One table for each receiver. Patterns are formed from the derivatives of the field at the point,
so a nearby source has the proximity effect.)",
           R"([[receiver]]
name = "sofa"
position = [3.8, 2.6, 1.2]  # m

[[receiver]]
name = "array"
position = [2.5, 3.0, 1.2]
pattern = "ambisonic"
order = 1
)"},
          receiver_keys())};
}

}  // namespace fdtd
