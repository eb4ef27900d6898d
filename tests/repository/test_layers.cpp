// The layers hold in this tree; and the checker that says so sees every kind of violation when one is planted.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/repository/layers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"

using fdtd::test::layer_violations;
using fdtd::test::TemporaryFolder;

namespace {

// A tree with one include in one file.
std::vector<std::string> planted(const std::string& file, const std::string& include) {
  const TemporaryFolder tree;
  std::filesystem::create_directories((tree.path() / file).parent_path());
  tree.write(file, "// a comment\n#include " + include + "\n");
  return layer_violations(tree.path());
}

}  // namespace

TEST_CASE("No include of this tree runs against the layers") {
  REQUIRE(std::filesystem::exists(std::filesystem::path(FDTD_SOURCE_DIR) / "stencils/stencil.hpp"));
  std::string all;
  for (const std::string& line : layer_violations(FDTD_SOURCE_DIR)) all += line + '\n';
  CHECK(all == "");
}

TEST_CASE("A planted include against the layers is reported with its place") {
  const std::vector<std::string> reported = planted("stencils/leggy.cpp", "\"scenes/scene.hpp\"");
  REQUIRE(reported.size() == 1);
  CHECK(reported[0] == "stencils/leggy.cpp:2: \"scenes/scene.hpp\": stencils/ includes only itself, base/");
}

TEST_CASE("Each rule sees what it forbids") {
  struct Row {
    const char *file, *include;
  };
  const std::vector<Row> forbidden = {
      {"stencils/box.hpp", "<fmt/format.h>"},
      {"stencils/box.hpp", "\"box_terms.hpp\""},
      {"scenes/mesh/mesh.cpp", "\"engine/plan/plan.hpp\""},
      {"scenes/toml/keys.cpp", "<toml++/toml.h>"},
      {"engine/plan/plan.hpp", "\"cli/terminal/progress.hpp\""},
      {"engine/plan/plan.hpp", "<mpi.h>"},
      {"engine/plan/plan.hpp", "<cuda_runtime.h>"},
      {"engine/run/run.cpp", "<iostream>"},
      {"cli/movie.cpp", "<png.h>"},
      {"tests/unit/test_map_picture.cpp", "<png.h>"},
      {"engine/run/run.cpp", "<spdlog/spdlog.h>"},
      {"engine/responses/render.cpp", "<hdf5.h>"},
      {"engine/cpu/backend.cpp", "\"scenes/scene.hpp\""},
      {"engine/cpu/backend.cpp", "\"engine/cuda/kernels/kernel.hpp\""},
      {"engine/cuda/walls/walls.cu", "\"engine/cpu/field/layout.hpp\""},
      {"engine/cuda/walls/walls.cu", "\"scenes/scene.hpp\""},
      {"engine/cuda/device_plan.hpp", "<cuda_runtime.h>"},
      {"cli/run.cpp", "\"tests/support/program.hpp\""},
      {"cli/study/profile_gpu.cpp", "\"engine/cuda/tuning/profile.hpp\""},
      {"cli/run.cpp", "\"engine/cpu/make_backend.hpp\""},
      {"bench/cuda_kernels.cpp", "\"engine/cuda/gpu/device.hpp\""},
      {"bench/cost.cpp", "\"engine/cpu/cpu_plan.hpp\""},
      {"engine/session/run_scene.cpp", "\"engine/cuda/make_backend.hpp\""},
      {"engine/multigrid/masked.cpp", "\"engine/cpu/field/layout.hpp\""},
      {"cli/terminal/say.cpp", "\"cli/command.hpp\""},
      {"cli/run.cpp", "<sndfile.h>"},
      {"engine/planning/make_plan.cpp", "<pugixml.hpp>"},
      {"tests/unit/test_box.cpp", "<catch2/catch.hpp>"},
  };
  for (const Row& row : forbidden) {
    INFO(row.file << " includes " << row.include);
    CHECK_FALSE(planted(row.file, row.include).empty());
  }
}

TEST_CASE("What the layers allow is not reported") {
  struct Row {
    const char *file, *include;
  };
  const std::vector<Row> allowed = {
      {"stencils/box.hpp", "<vector>"},
      {"scenes/toml/parse_toml.cpp", "<toml++/toml.h>"},
      {"engine/results/result.cpp", "\"scenes/scene.hpp\""},
      {"engine/files/h5.cpp", "<hdf5.h>"},
      {"engine/cuda/kernels/literature/kernel_a.cu", "<cuda_runtime.h>"},
      {"engine/cpu/rows.cpp", "\"engine/plan/plan.hpp\""},
      {"cli/run.cpp", "<iostream>"},
      {"cli/study/profile_gpu.cpp", "\"engine/devices/gpu_code.hpp\""},
      {"bench/instructions.cpp", "\"engine/cpu/cpu_plan.hpp\""},
      {"tests/support/catch.hpp", "<catch2/catch.hpp>"},
      {"tests/support/png_library.cpp", "<png.h>"},
  };
  for (const Row& row : allowed) {
    INFO(row.file << " includes " << row.include);
    CHECK(planted(row.file, row.include).empty());
  }
}

TEST_CASE("Every folder of engine/ refuses an include that its row does not name") {
  for (const auto& [folder, may] : fdtd::test::folder_rules()) {
    INFO(folder);
    CHECK(planted(folder + "/planted.cpp", "\"cli/command.hpp\"").size() == 1);
    for (const auto& [other, unused] : fdtd::test::folder_rules()) {
      const bool allowed = other == folder || std::find(may.begin(), may.end(), other) != may.end();
      INFO(folder << " includes " << other);
      CHECK(planted(folder + "/planted.cpp", '"' + other + "/planted.hpp\"").empty() == allowed);
    }
  }
}

TEST_CASE("A folder without a row is reported") {
  const std::vector<std::string> reported = planted("engine/attic/chest.cpp", "\"base/error.hpp\"");
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].find("engine/attic/ has no row") != std::string::npos);
}

TEST_CASE("The folders form no cycle") {
  // Each pass takes away the folders that include none of those left; the others lie on a cycle.
  auto left = fdtd::test::folder_rules();
  const auto is_left = [&](const std::string& name) {
    return std::any_of(left.begin(), left.end(), [&](const auto& one) { return one.first == name; });
  };
  for (std::size_t before = 0; before != left.size();) {
    before = left.size();
    const auto free = std::find_if(left.begin(), left.end(), [&](const auto& one) {
      return std::none_of(one.second.begin(), one.second.end(), is_left);
    });
    if (free != left.end()) left.erase(free);
  }
  CHECK(left.empty());
}

TEST_CASE("A header that a backend may not see is found through others") {
  const TemporaryFolder tree;
  for (const char* folder : {"engine/cuda/walls", "engine/plan", "scenes"})
    std::filesystem::create_directories(tree.path() / folder);
  tree.write("scenes/scene.hpp", "#pragma once\n");
  tree.write("engine/plan/plan.hpp", "#include \"scenes/scene.hpp\"\n");
  tree.write("engine/cuda/walls/walls.cu", "\n#include \"engine/plan/plan.hpp\"\n");
  CHECK(layer_violations(tree.path()) ==
        std::vector<std::string>{
            "engine/cuda/walls/walls.cu:2: \"engine/plan/plan.hpp\": a backend knows the plan, never "
            "the scene (engine/plan/plan.hpp -> scenes/scene.hpp)",
            "engine/plan/plan.hpp:1: \"scenes/scene.hpp\": engine/plan/ includes only itself, base/, stencils/"});
}

TEST_CASE("Sources that lie flat in engine/, and a folder that is too full, are reported") {
  const TemporaryFolder tree;
  for (const char* folder : {"base", "engine/walls"}) std::filesystem::create_directories(tree.path() / folder);
  tree.write("base/error.hpp", "");
  for (int i = 0; i < 40; ++i) tree.write("engine/walls/w" + std::to_string(i) + ".cpp", "");
  CHECK(layer_violations(tree.path()).empty());
  tree.write("engine/stray.cpp", "");
  tree.write("engine/walls/one_more.cpp", "");
  CHECK(layer_violations(tree.path()).size() == 2);
}

TEST_CASE("A library that one file holds is reported in the second") {
  const TemporaryFolder tree;
  std::filesystem::create_directories(tree.path() / "engine/files");
  tree.write("engine/files/wav_write.cpp", "#include <sndfile.h>\n");
  CHECK(layer_violations(tree.path()).empty());
  tree.write("engine/files/wxyz.cpp", "#include <sndfile.h>\n");
  CHECK(layer_violations(tree.path()) ==
        std::vector<std::string>{"engine/files/wxyz.cpp:1: <sndfile.h>: libsndfile only in one file of engine/files/"});
}
