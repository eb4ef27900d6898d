// What `profile` and `compare` share.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/profile.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cli {

struct ProfileOptions {
  std::string grid;
  std::string precision = "f32";
  ProfileSettings settings;
  bool json = false;
};

void add_profile_options(CLI::App& app, ProfileOptions& options);
ProfileSettings settings_of(const ProfileOptions& options);
// "256x256x192"; throws Error(scene) for anything else.
std::array<int, 3> parse_grid(const std::string& text);
// The catalogue's entry, or Error(scene) with the nearest name.
const Stencil& known_stencil(const std::string& name);
nlohmann::ordered_json profile_json(const ProfileSettings& settings, const std::vector<KernelProfile>& profiles);

}  // namespace fdtd::cli
