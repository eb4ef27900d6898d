#include "engine/transducers/capsules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fdtd {
namespace {

template <class Spec>
std::vector<Capsule> capsules_of(const std::vector<Spec>& list) {
  std::vector<Capsule> capsules;
  for (std::size_t owner = 0; owner < list.size(); ++owner) {
    const Spec& one = list[owner];
    const Directivity& directivity = one.directivity;
    if (directivity.pattern == "ambisonic") {
      const int channels = (directivity.order + 1) * (directivity.order + 1);
      for (int acn = 0; acn < channels; ++acn)
        capsules.push_back({fmt::format("{}:{:02}", one.name, acn), one.position, solid_harmonic(acn), owner, {}});
      continue;
    }
    const double share = omni_share(directivity.pattern);
    if (share > 0.0) capsules.push_back({one.name, one.position, {}, owner, directivity.direction});
    if (share < 1.0)
      capsules.push_back({share > 0.0 ? one.name + ":v" : one.name, one.position, figure_eight(directivity.direction),
                          owner, directivity.direction});
  }
  return capsules;
}

template <class Spec>
std::vector<Mix> mixes_of(const std::vector<Spec>& list) {
  const std::vector<Capsule> capsules = capsules_of(list);
  std::vector<Mix> mixes;
  for (std::size_t i = 1; i < capsules.size(); ++i) {
    if (!read_capsule_name(capsules[i].name).hidden) continue;
    for (const Spec& one : list)
      if (one.name == capsules[i - 1].name)
        mixes.push_back({static_cast<int>(i) - 1, static_cast<int>(i), omni_share(one.directivity.pattern)});
  }
  return mixes;
}

}  // namespace

std::vector<Capsule> source_capsules(const Scene& scene) { return capsules_of(scene.sources); }
std::vector<Capsule> receiver_capsules(const Scene& scene) { return capsules_of(scene.receivers); }
std::vector<Mix> source_mixes(const Scene& scene) { return mixes_of(scene.sources); }
std::vector<Mix> receiver_mixes(const Scene& scene) { return mixes_of(scene.receivers); }

CapsuleName read_capsule_name(const std::string& name) {
  const auto colon = name.find(':');
  if (colon == name.npos) return {name, -1, false};
  const std::string tail = name.substr(colon + 1);
  const bool channel = tail.size() == 2 && tail[0] >= '0' && tail[0] <= '9' && tail[1] >= '0' && tail[1] <= '9';
  return {name.substr(0, colon), channel ? 10 * (tail[0] - '0') + (tail[1] - '0') : -1, !channel};
}

std::vector<CapsuleGroup> groups_of(const std::vector<std::string>& capsules) {
  std::vector<CapsuleGroup> groups;
  for (std::size_t i = 0; i < capsules.size(); ++i) {
    const CapsuleName name = read_capsule_name(capsules[i]);
    if (name.hidden) continue;
    if (name.channel > 0 && !groups.empty())
      ++groups.back().channels;
    else
      groups.push_back({name.owner, i, 1});
  }
  return groups;
}

std::int64_t count_shown(const std::vector<Tap>& sources) {
  return std::count_if(sources.begin(), sources.end(),
                       [](const Tap& source) { return !read_capsule_name(source.name).hidden; });
}

}  // namespace fdtd
