// The options that `profile` and `bench` share.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"
#include "engine/multigrid/profile.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/session/choices.hpp"
#include "stencils/stencil.hpp"

namespace CLI {
class App;
}

namespace fdtd::cli {

struct ProfileOptions {
  std::string device = "cpu";
  std::string grid;                  // empty: the default of the command
  std::string precision;             // empty: f32, on a GPU all precisions of the command
  std::vector<std::string> kernels;  // one on the CPU; on a GPU `profile` accepts several, and "all"
  ProfileSettings settings;
  bool json = false;
  std::string json_file;  // empty: standard output
  bool force = false;
  bool retune = false, counters = false;  // on a GPU
};

void add_profile_options(CLI::App& app, ProfileOptions& options);
// Throws Error(scene) for options that the device does not have, and Error(file) where --json cannot be written.
void check_profile_options(const ProfileOptions& options);
ProfileSettings settings_of(const ProfileOptions& options);
void put_json(const ProfileOptions& options, const nlohmann::ordered_json& document);

// Kernels timed on the CPU.
struct CpuProfiles {
  ProfileSettings settings;
  std::vector<KernelProfile> kernels;
  double triad_ctpn_ns() const;  // the mean
  double triad_gb_per_second() const;
};
const JsonFields<CpuProfiles>& cpu_profile_fields();

struct ProfileCommand : ProfileOptions {
  std::string scene;                   // empty: bare kernels
  std::vector<std::string> overrides;  // of the scene
  bool allow_outside = false;          // the scene may name files outside its folder
  bool device_given = false;           // otherwise that of the scene
  std::vector<std::string> stencils;
  std::string tiles = "best";
  std::string multigrid;  // "V" or "W": multigrid instead of stencils
  std::string mask;       // instead of the box: a name of multigrid::mask_names
  std::string smoother = "chebyshev";
  int sweeps = 2;
  std::string counted;  // the file of steps for cli/study/counters.cpp under Nsight Compute
};

struct BenchCommand : ProfileOptions {
  std::vector<std::string> families;  // empty: leggy, compact, box, and on a GPU the literature's kernels
  int count = 20;
  std::vector<double> errors = {0.02, 0.01, 0.003};
  std::string scene;                   // the room of the costs; empty: the standard one
  std::vector<std::string> overrides;  // of the scene
  bool allow_outside = false;          // the scene may name files outside its folder
  std::string times;                   // an earlier document, instead of measuring
  std::string file;
  BenchCommand() { settings.repeats = 3; }
};

// A whole room instead of bare kernels.
void profile_scene(const ProfileCommand& command);
// The Poisson problem on a box.
void profile_multigrid(const ProfileCommand& command);
multigrid::Profile profile_multigrid_on_gpu(int device, const std::array<int, 3>& grid, const multigrid::Cycle& cycle,
                                            int repeats);

// The two commands on GPU number `device`. In a build without CUDA all of them throw Error(resource).
void profile_on_gpu(const ProfileCommand& command, int device);
void bench_on_gpu(const BenchCommand& command, int device);

}  // namespace fdtd::cli
