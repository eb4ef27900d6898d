#include "cli/study/families.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "engine/files/input_file.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::cli {
namespace {

constexpr std::uint64_t max_bytes = 1u << 28;  // a study of three families on a GPU has 1.5 MB

nlohmann::ordered_json document_in(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.size() > max_bytes)
    throw Error(Status::file, fmt::format("{} has {} bytes: no document of fdtd bench", path.string(), file.size()),
                "name what `fdtd bench --json FILE` wrote");
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

// By member, the first time of the fastest kernel.
std::map<std::string, double> times_in(const nlohmann::ordered_json& document) {
  std::map<std::string, double> times;
  const auto results = document.is_object() ? document.find("results") : document.end();
  if (results == document.end() || !results->is_array()) return times;
  for (const auto& one : *results) {
    if (!one.is_object() || !one.contains("stencil") || !one["stencil"].is_string()) continue;
    if (!one.contains("ctpn_ns") || !one["ctpn_ns"].is_number()) continue;
    if (one.contains("role") && one["role"] != "best") continue;
    const std::string name = one["stencil"].get<std::string>();
    const double ctpn = one["ctpn_ns"].get<double>();
    if (std::isfinite(ctpn) && ctpn > 0.0) times.try_emplace(name.substr(0, name.find('/')), ctpn);
  }
  return times;
}

}  // namespace

std::vector<FamilyProfile> families(const std::vector<std::string>& names, int count) {
  std::vector<FamilyProfile> list;
  for (const std::string& name : names) {
    FamilyProfile family{name, {}};
    for (const Stencil& stencil : catalogue()) {
      if (name != to_string(stencil.family)) continue;
      if (family.members.empty() || member_name(*family.members.back().variants.front()) != member_name(stencil)) {
        if (static_cast<int>(family.members.size()) == count) break;
        family.members.emplace_back();
      }
      family.members.back().variants.push_back(&stencil);
    }
    list.push_back(std::move(family));
  }
  return list;
}

nlohmann::ordered_json take_times(const std::filesystem::path& file, std::vector<FamilyProfile>& list) {
  nlohmann::ordered_json document = document_in(file);
  const auto times = times_in(document);
  for (FamilyProfile& family : list) {
    std::erase_if(family.members,
                  [&](const Member& member) { return !times.contains(member_name(*member.variants.front())); });
    for (Member& member : family.members) member.profile.ctpn_ns = times.at(member_name(*member.variants.front()));
  }
  std::erase_if(list, [](const FamilyProfile& family) { return family.members.empty(); });
  if (list.empty())
    throw Error(Status::file, fmt::format("{} has no times of these families", file.string()),
                "name what `fdtd bench --json FILE` wrote");
  return document;
}

}  // namespace fdtd::cli
