// The stencil families compared, from the times of their members: what a given accuracy costs, in seconds of computing
// per second of sound in 100 cubic metres, on any device.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/profiling/profile.hpp"
#include "engine/reports/plot.hpp"
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

// What one variant costs at one dispersion error.
struct Cost {
  const Stencil* stencil = nullptr;
  double ctpn_ns = 0.0, seconds = std::numeric_limits<double>::infinity();
};
// The cost of every variant at this error, cheapest first; variants that do not reach it are left out.
std::vector<Cost> costs(const FamilyProfile& family, double error);

inline constexpr double cost_volume = 100.0;  // m^3

nlohmann::ordered_json cost_json(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
Plot cost_plot(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
std::string cost_tables(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);  // HTML
void print_costs(const std::vector<FamilyProfile>& list, const std::vector<double>& errors);
// Throws Error(scene) for values that are not a dispersion error.
void check_errors(const std::vector<double>& errors);

}  // namespace fdtd::cli
