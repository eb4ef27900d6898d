// The layers hold in this tree; and the checker that says so sees every kind of violation when one is planted.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/layers/layers.hpp"
#include "tests/support/catch.hpp"
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

TEST_CASE("A planted include against the layers is told with its place") {
  const std::vector<std::string> told = planted("stencils/leggy.cpp", "\"scenes/scene.hpp\"");
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "stencils/leggy.cpp:2: \"scenes/scene.hpp\": stencils/ stands on the standard library alone");
}

TEST_CASE("Each rule sees what it forbids") {
  struct Row {
    const char *file, *include;
  };
  const std::vector<Row> forbidden = {
      {"stencils/box.hpp", "<fmt/format.h>"},
      {"stencils/box.hpp", "\"box_terms.hpp\""},
      {"scenes/voxelise.cpp", "\"engine/plan.hpp\""},
      {"scenes/voxelise.hpp", "<toml++/toml.h>"},
      {"engine/plan.hpp", "\"cli/progress.hpp\""},
      {"engine/plan.hpp", "<mpi.h>"},
      {"engine/plan.hpp", "<cuda_runtime.h>"},
      {"engine/run.cpp", "<iostream>"},
      {"cli/movie.cpp", "<png.h>"},
      {"engine/run.cpp", "<spdlog/spdlog.h>"},
      {"engine/render.cpp", "<hdf5.h>"},
      {"engine/cpu/backend.cpp", "\"scenes/scene.hpp\""},
      {"engine/cpu/backend.cpp", "\"engine/cuda/kernel.hpp\""},
      {"engine/cuda/backend.cu", "\"engine/cpu/layout.hpp\""},
      {"engine/cuda/backend.cu", "\"scenes/scene.hpp\""},
      {"engine/cuda/backend.hpp", "<cuda_runtime.h>"},
      {"cli/run.cpp", "\"tests/support/program.hpp\""},
      {"cli/run.cpp", "<sndfile.h>"},
      {"engine/make_plan.cpp", "<assimp/scene.h>"},
      {"tests/unit/test_box.cpp", "<catch2/catch.hpp>"},
  };
  for (const Row& row : forbidden) {
    INFO(row.file << " includes " << row.include);
    CHECK(planted(row.file, row.include).size() == 1);
  }
}

TEST_CASE("What the layers allow is not told") {
  struct Row {
    const char *file, *include;
  };
  const std::vector<Row> allowed = {
      {"stencils/box.hpp", "<vector>"},
      {"scenes/parse_toml.cpp", "<toml++/toml.h>"},
      {"engine/run.cpp", "\"scenes/scene.hpp\""},
      {"engine/h5.cpp", "<hdf5.h>"},
      {"engine/cuda/kernel_a.cu", "<cuda_runtime.h>"},
      {"engine/cpu/rows.cpp", "\"engine/plan.hpp\""},
      {"cli/run.cpp", "<iostream>"},
      {"tests/support/catch.hpp", "<catch2/catch.hpp>"},
  };
  for (const Row& row : allowed) {
    INFO(row.file << " includes " << row.include);
    CHECK(planted(row.file, row.include).empty());
  }
}

TEST_CASE("A library that one file holds is told in the second") {
  const TemporaryFolder tree;
  std::filesystem::create_directories(tree.path() / "engine");
  tree.write("engine/audio_file.cpp", "#include <sndfile.h>\n");
  CHECK(layer_violations(tree.path()).empty());
  tree.write("engine/render.cpp", "#include <sndfile.h>\n");
  CHECK(layer_violations(tree.path()) ==
        std::vector<std::string>{"engine/render.cpp:1: <sndfile.h>: libsndfile only in one file of engine/"});
}
