// The program and a library of GPU code: what FDTD_GPU_CODE names is loaded, or refused with the reason.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/devices/gpu_code.hpp"
#include "engine/system/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

TEST_CASE("the program loads the GPU code that FDTD_GPU_CODE names, and says why it does not", "[cli]") {
  if (find_gpu_code() != nullptr) return;  // a program with GPU code of its own loads none
  const TemporaryFolder folder;
  const auto doctor = [&](const std::map<std::string, std::string>& environment) {
    return json_of(run_fdtd({"doctor", "--json"}, folder.path(), environment));
  };
  std::map<std::string, std::string> names = {
      {"FDTD_GPU_CODE", FDTD_GPU_STANDIN}, {"STANDIN_VERSION", version()}, {"STANDIN_COMMIT", commit()}};
  CHECK(doctor(names)["gpus"][0]["name"] == "stand-in");
  names["STANDIN_VERSION"] = "0.0.1";
  const nlohmann::json other = doctor(names);
  CHECK_THAT(std::string(other["why_no_gpu"]),
             Contains("is of fdtd 0.0.1") && Contains("this program is fdtd " + version()));
  folder.write("room.toml",
               "schema = 1\nsimulation = { duration = 0.01, max_frequency = 300.0 }\nroom.box = [2, 2, 2]\n"
               "room.walls.default = \"w\"\n[materials.w]\nadmittance = 0.1\n[[source]]\nname = \"S\"\n"
               "position = [1, 1, 1]\n[[receiver]]\nname = \"R\"\nposition = [0.5, 0.5, 0.5]\n");
  const Outcome run = run_fdtd({"run", "room.toml", "--device", "cuda", "-o", "made"}, folder.path(), names);
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("fdtd 0.0.1") && Contains("--device cpu"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "made"));
  CHECK_THAT(std::string(doctor({{"FDTD_GPU_CODE", "/absent.so"}})["why_no_gpu"]), Contains("/absent.so"));
  CHECK(doctor({})["why_no_gpu"] == "this program has no GPU code");
}
