// The stencil families of fdtd bench, and the times of their members.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/profiling/profile.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cli {

struct Member {
  std::vector<const Stencil*> variants;  // the textbook one first
  KernelProfile profile;                 // of all of them: their cost is the same
};

struct FamilyProfile {
  std::string name;
  std::vector<Member> members;
};

// The first `count` members of each family, none timed yet.
std::vector<FamilyProfile> families(const std::vector<std::string>& names, int count);

// Takes the times of members from the document of an earlier `fdtd bench --json` instead of measuring: of the fastest
// kernel on the document's first grid and precision. Members without a time there are left out. Returns the document.
// Throws Error(file) for what is no such document.
nlohmann::ordered_json take_times(const std::filesystem::path& file, std::vector<FamilyProfile>& list);

}  // namespace fdtd::cli
