// Families of stencils side by side, once their members are timed: what a given accuracy costs, in seconds of computing for a
// second of sound in 100 cubic metres, whatever the device.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/plot.hpp"
#include "engine/profiling/profile.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cli {

struct Member {
  std::vector<const Stencil*> variants;  // the textbook one first
  KernelProfile profile;                 // of all of them: they cost alike
};

struct FamilyProfile {
  std::string name;
  std::vector<Member> members;
};

// The first `count` members of each family, none timed yet.
std::vector<FamilyProfile> families(const std::vector<std::string>& names, int count);

// What one variant costs at one dispersion error.
struct Cost {
  const Stencil* stencil = nullptr;
  double ctpn_ns = 0.0, seconds = std::numeric_limits<double>::infinity();
};
// Every variant's cost at this error, cheapest first; those that do not reach it are left out.
std::vector<Cost> costs(const FamilyProfile& family, double error);

inline constexpr double cost_volume = 100.0;  // m^3

nlohmann::ordered_json cost_json(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
Plot cost_plot(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
std::string cost_tables(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);  // HTML
void print_costs(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
// Throws Error(scene) for what is no dispersion error.
void check_errors(const std::vector<double>& errors);

}  // namespace fdtd::cli
