// The program and a library of GPU code: what FDTD_GPU_CODE names is loaded, or refused with the reason.
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/devices/gpu_code.hpp"
#include "engine/system/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

const std::string scene = R"(schema = 1
simulation = { duration = 0.01, max_frequency = 300.0 }
above.method = "none"
room.box = [2, 2, 2]
room.walls.default = "w"
materials.w.admittance = 0.1
source = [{ name = "S", position = [1, 1, 1] }]
receiver = [{ name = "R", position = [0.5, 0.5, 0.5] }]
)";

}  // namespace

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
  folder.write("room.toml", scene);
  const Outcome run = run_fdtd({"run", "room.toml", "--device", "cuda", "-o", "made"}, folder.path(), names);
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("fdtd 0.0.1") && Contains("--device cpu"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "made"));
  CHECK_THAT(std::string(doctor({{"FDTD_GPU_CODE", "/absent.so"}})["why_no_gpu"]), Contains("/absent.so"));
  CHECK(doctor({})["why_no_gpu"] == "this program has no GPU code");
}

TEST_CASE("a run on the CPU for want of a GPU states why where there is GPU code", "[cli]") {
  if (find_gpu_code() != nullptr) return;  // the reason is that of this machine
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  const std::string begin = "computed on the CPU: ";
  const auto remark = [&](const std::map<std::string, std::string>& environment, const std::string& device = "auto") {
    const nlohmann::json plan =
        json_of(run_fdtd({"plan", "room.toml", "--json", "--device", device}, folder.path(), environment));
    CHECK(plan["device"] == "cpu");
    std::string found;
    for (const std::string note : plan["warnings"])
      if (note.starts_with(begin)) found += note.substr(begin.size()) + "\n";
    return found;
  };
  using Names = std::map<std::string, std::string>;
  const auto with = [](Names names, const std::string& name, const std::string& value) {
    names[name] = value;
    return names;
  };
  const Names usable = {
      {"FDTD_GPU_CODE", FDTD_GPU_STANDIN}, {"STANDIN_VERSION", version()}, {"STANDIN_COMMIT", commit()}};
  const std::string ours = "this program is fdtd " + version();
  CHECK_THAT(remark(with(usable, "STANDIN_VERSION", "0.0.1")), Contains("is of fdtd 0.0.1") && Contains(ours));
  CHECK_THAT(remark(with(usable, "STANDIN_COMMIT", "0123abc")), Contains("commit 0123abc, ") && Contains(ours));
  CHECK_THAT(remark({{"FDTD_GPU_CODE", "/absent.so"}}), Contains("GPU code cannot be loaded: /absent.so"));
  CHECK(remark(with(usable, "STANDIN_REASON", "no driver")) == "no driver\n");
  CHECK(remark(with(usable, "STANDIN_FAULT", "too old")) == "cuda:0: too old\n");
  CHECK_THAT(remark(usable), Contains("not enough memory on the GPU"));  // the stand-in has none
  CHECK(remark({}) == "");
  CHECK(remark(with(usable, "STANDIN_VERSION", "0.0.1"), "cpu") == "");  // as asked for
  // A run prints it, and its result keeps it.
  const Outcome run =
      run_fdtd({"run", "room.toml", "-o", "made"}, folder.path(), with(usable, "STANDIN_REASON", "none"));
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out + run.err, Contains(begin + "none"));
  CHECK_THAT(read_file(folder.path() / "made/report.html"), Contains(begin + "none"));
}

TEST_CASE("every command that plans a device states why it takes the CPU", "[cli]") {
  if (find_gpu_code() != nullptr) return;  // the reason is that of this machine
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  const std::string note = "computed on the CPU: none";
  const std::map<std::string, std::string> idle = {{"FDTD_GPU_CODE", FDTD_GPU_STANDIN},
                                                   {"STANDIN_VERSION", version()},
                                                   {"STANDIN_COMMIT", commit()},
                                                   {"STANDIN_REASON", "none"}};
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"plan", "room.toml"},
                                             {"plan", "room.toml", "--gradient"},
                                             {"modes", "room.toml", "--points", "8", "--to", "90", "--duration", "0.1"},
                                             {"place", "room.toml", "--source", "S", "--over", "0.9,0.9,1,1.1,1.1,1",
                                              "--to", "90", "--duration", "0.1", "-o", "places"},
                                             {"profile", "room.toml", "--repeats", "1"}}) {
    INFO(words[0]);
    auto with_json = words;
    with_json.emplace_back("--json");
    const Outcome text = run_fdtd(words, folder.path(), idle);
    INFO(text.err);
    CHECK(text.status == 0);
    CHECK_THAT(text.out, Contains("note: " + note));
    if (words[0] == "place") with_json.emplace_back("--force");
    const nlohmann::json document = json_of(run_fdtd(with_json, folder.path(), idle));
    const nlohmann::json& notes = document[words[0] == "plan" ? "warnings" : "notes"];
    CHECK(std::ranges::count(notes, nlohmann::json(note)) == 1);
    with_json.insert(with_json.end(), {"--device", "cpu"});  // as asked for
    CHECK_THAT(run_fdtd(with_json, folder.path(), idle).out, !Contains(note));
  }
}
