// What the grid records for the sources and receivers of a scene: one capsule for one that hears all directions alike, several
// for others. A capsule is a plan's source or receiver; what they make together is put together after rendering (Mix).
//
// Names: "R" for a receiver of one capsule and for the first of a cardioid's two, "R:v" for its second, the figure-eight, which
// is nobody's output; "R:00" ... "R:15" for an ambisonic receiver's channels. A scene's names hold no colon.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct Capsule {
  std::string name;
  std::array<double, 3> position{};  // m, in the scene
  FieldOperator operation;
  std::size_t owner = 0;              // its place among the scene's sources or receivers
  std::array<double, 3> direction{};  // where the source or receiver it is of is aimed; zero: nowhere
};

std::vector<Capsule> source_capsules(const Scene& scene);
std::vector<Capsule> receiver_capsules(const Scene& scene);

// Capsule `of` becomes share times itself plus 1 - share times capsule `with`.
struct Mix {
  int of = 0, with = 0;
  double share = 1.0;
  bool operator==(const Mix&) const = default;
};
std::vector<Mix> source_mixes(const Scene& scene);
std::vector<Mix> receiver_mixes(const Scene& scene);

struct CapsuleName {
  std::string owner;  // the scene's name
  int channel = -1;   // of an ambisonic receiver; -1: of none
  bool hidden = false;
};
CapsuleName read_capsule_name(const std::string& name);

// Sources of a plan that a result shows: hidden capsules are left out.
std::int64_t count_shown(const std::vector<Tap>& sources);

// A source or receiver of the scene, and where its channels are in a list of capsules' names: hidden ones are left out.
struct CapsuleGroup {
  std::string name;
  std::size_t first = 0;
  int channels = 1;
};
std::vector<CapsuleGroup> groups_of(const std::vector<std::string>& capsules);

}  // namespace fdtd
