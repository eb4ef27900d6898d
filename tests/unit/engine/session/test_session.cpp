#include "engine/session/session.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "engine/results/result.hpp"
#include "engine/session/choices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/forge.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string small_room = R"(schema = 1
simulation = { duration = 0.05, max_frequency = 400.0, stencil = "leggy-1", device = "cpu" }
room.box = [2.5, 2.0, 1.5]
room.walls = { default = "plasterboard" }
source = [ { name = "S", position = [0.8, 0.7, 0.6] } ]
receiver = [ { name = "R", position = [1.7, 1.2, 0.9] } ]
)";

RunRequest request_in(const std::filesystem::path& folder) {
  RunRequest request;
  request.scene.scene = "room.toml";
  request.scene.text = small_room;
  request.place.folder = folder.string();
  return request;
}

SessionEnd run_silent(const RunRequest& request) { return run_scene(request, {}, {}); }

// Damages the field of a checkpoint: what follows is out of balance.
void damage(const std::filesystem::path& checkpoint) {
  forge(checkpoint, checkpoint, [](H5Index& index, std::string& image) {
    const auto& field = index.arrays.at("/state/u_now");
    const float loud = 1e6F;
    std::uint64_t bytes = 0;
    REQUIRE(count_bytes(field, bytes));
    std::memcpy(image.data() + field.offset + bytes / 2 / sizeof loud * sizeof loud, &loud, sizeof loud);
  });
}

}  // namespace

TEST_CASE("A scene given as text is planned without a file") {
  SceneRequest request;
  request.scene = "nowhere/room.toml";
  request.text = small_room;
  std::string stencil;
  plan_scene(request, [&](const PlanReport& report) { stencil = plan_document(report)["stencil"]; });
  CHECK(stencil == known_stencil("leggy-1").name);
}

TEST_CASE("A scene's problems carry place and hint, and the text that the program prints") {
  SceneRequest request;
  request.scene = "room.toml";
  request.text = small_room + "output.sample_rat = 3\n";
  try {
    (void)load(request);
    FAIL("a misspelt key was taken");
  } catch (const SceneError& error) {
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems[0].place.line == 7);
    CHECK(error.problems[0].place.column == 8);
    CHECK(error.problems[0].hint.find("sample_rate") != std::string::npos);
    CHECK(error.status == Status::scene);
    CHECK(std::string(error.what()).rfind("1 problem in room.toml\nroom.toml:7:8:", 0) == 0);
  }
}

TEST_CASE("A session that its caller stops writes a checkpoint, from which another one ends with the same bytes") {
  TemporaryFolder folder;
  CHECK(run_silent(request_in(folder / "whole")).how == SessionEnd::How::finished);
  RunRequest request = request_in(folder / "parts");
  int asked = 0, begun = 0, ended = 0;
  SessionCalls calls;
  calls.stop = [&] { return ++asked == 3; };
  calls.begin = [&](const Plan&) { ++begun; };
  calls.end = [&] { ++ended; };
  try {
    run_scene(request, calls, {});
    FAIL("the run was not stopped");
  } catch (const Error& error) {
    CHECK(error.status == Status::interrupted);
  }
  CHECK((begun == 1 && ended == 1));
  CHECK(std::filesystem::exists(folder / "parts" / "checkpoint.h5"));
  request.place.resume = true;
  std::int64_t from = 0;
  calls = {};
  calls.resumed = [&](const std::filesystem::path&, std::int64_t step, const std::string&) { from = step; };
  nlohmann::ordered_json document;
  run_scene(request, calls, [&](const Finished& done, const PlanReport& report) { document = run_json(done, report); });
  CHECK(from > 0);
  CHECK(document["receivers"].size() == 1);
  CHECK(read_file(folder / "parts" / "ir_R.wav") == read_file(folder / "whole" / "ir_R.wav"));
  CHECK(run_silent(request).how == SessionEnd::How::ended_before);
}

TEST_CASE("A session that loses its energy balance writes what was in balance, and says so") {
  TemporaryFolder folder;
  CHECK(run_silent(request_in(folder / "whole")).how == SessionEnd::How::finished);
  RunRequest request = request_in(folder / "lost");
  bool late = false;
  SessionCalls calls;
  calls.progress = [&](const Plan&, const Progress& at) { late = at.step >= 150; };
  calls.stop = [&] { return late; };
  CHECK_THROWS_AS(run_scene(request, calls, {}), Error);
  damage(folder / "lost/checkpoint.h5");
  request.place.resume = true;
  try {
    run_silent(request);
    FAIL("the damage was not found");
  } catch (const Error& error) {
    CHECK(error.status == Status::numerical);
    CHECK(std::string(error.what()).find("at step") != std::string::npos);
    CHECK(error.remedy.find((folder / "lost").string() + " holds what was in balance: S for ") != std::string::npos);
  }
  const Result whole = read_result(folder / "whole/result.h5"), lost = read_result(folder / "lost/result.h5");
  REQUIRE(lost.recording.samples > 100);
  REQUIRE(lost.recording.samples < whole.recording.samples);
  for (std::size_t n = 0; n < static_cast<std::size_t>(lost.recording.samples); ++n)
    CHECK(lost.recording.pressure[n] == whole.recording.pressure[n]);
  REQUIRE(!lost.rendered.remarks.empty());
  CHECK(lost.rendered.remarks.front().find("the run ended early: ") == 0);
  CHECK(std::filesystem::exists(folder / "lost/ir_R.wav"));
}

TEST_CASE("A session whose receivers send resumes in its second pass, and keeps of it what was in balance") {
  TemporaryFolder folder;
  const auto request_of = [&](const std::string& name) {
    RunRequest request = request_in(folder / name);
    std::string& text = *request.scene.text;
    text.insert(text.rfind(" ]"), ", { name = \"R2\", position = [0.6, 0.3, 0.5] }");
    text.insert(text.find(" ]\nreceiver"),
                ", { name = \"S2\", position = [0.5, 0.6, 0.4] }, { name = \"S3\", position = [0.3, 0.6, 0.4] }");
    return request;
  };
  CHECK(run_silent(request_of("whole")).how == SessionEnd::How::finished);
  RunRequest request = request_of("parts");
  bool late = false;
  SessionCalls calls;
  calls.progress = [&](const Plan& plan, const Progress& at) {
    CHECK(plan.sources.size() == 2);
    late = at.source == 1 && at.step >= at.total / 2 + 150;
  };
  calls.stop = [&] { return late; };
  CHECK_THROWS_AS(run_scene(request, calls, {}), Error);
  std::filesystem::copy(folder / "parts", folder / "lost");
  request.place.resume = true;
  calls = {};
  std::string sender;
  calls.resumed = [&](const std::filesystem::path&, std::int64_t, const std::string& what) { sender = what; };
  run_scene(request, calls, {});
  CHECK(sender == "receiver R2");
  for (const char* name : {"ir_S_R.wav", "ir_S3_R2.wav"})
    CHECK(read_file(folder / "parts" / name) == read_file(folder / "whole" / name));
  const Result whole = read_result(folder / "whole/result.h5");
  CHECK(whole.recording.exchanged);
  CHECK(read_result(folder / "parts/result.h5").recording.pressure == whole.recording.pressure);

  request = request_of("lost");
  request.place.resume = true;
  damage(folder / "lost/checkpoint.h5");
  try {
    run_silent(request);
    FAIL("the damage was not found");
  } catch (const Error& error) {
    CHECK(error.remedy.find(" holds what was in balance: R; R2 for ") != std::string::npos);
  }
  const Result lost = read_result(folder / "lost/result.h5");
  REQUIRE(lost.recording.samples == whole.recording.samples);
  const auto samples = static_cast<std::size_t>(whole.recording.samples);
  for (std::size_t s = 0; s < 3; ++s) {
    const auto record = [&](const Result& one, std::size_t r) {
      return &one.recording.pressure[(2 * s + r) * samples];
    };
    CHECK(std::equal(record(lost, 0), record(lost, 0) + samples, record(whole, 0)));
    CHECK(std::equal(record(lost, 1), record(lost, 1) + 50, record(whole, 1)));
    CHECK(record(lost, 1)[samples - 1] == 0.0);
  }
}

TEST_CASE("Sessions run at once in one process, each with the bytes that it has alone") {
  TemporaryFolder folder;
  run_silent(request_in(folder / "alone"));
  std::array<std::thread, 3> threads;
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads[i] = std::thread([&folder, i] { run_silent(request_in(folder / std::to_string(i))); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < threads.size(); ++i)
    CHECK(read_file(folder / std::to_string(i) / "ir_R.wav") == read_file(folder / "alone" / "ir_R.wav"));
}

TEST_CASE("What a caller's function throws ends its run, and releases the folder") {
  TemporaryFolder folder;
  SessionCalls calls;
  bool ended = false;
  calls.progress = [](const Plan&, const Progress&) { throw std::logic_error("mine"); };
  calls.end = [&] { ended = true; };
  CHECK_THROWS_AS(run_scene(request_in(folder / "one"), calls, {}), std::logic_error);
  CHECK(ended);
  CHECK(run_silent(request_in(folder / "one")).how == SessionEnd::How::finished);
}

namespace {

// A run of the small room with geometry above its waves, and the passes that it computed.
struct CountedRun {
  int passes = 0;
  nlohmann::ordered_json document;
};

CountedRun run_counted(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                       const std::filesystem::path& waves = {}) {
  RunRequest request = request_in(folder);
  request.scene.overrides = {"above.method=rays", "materials.plasterboard={library=\"plasterboard\"}"};
  request.scene.overrides.insert(request.scene.overrides.end(), overrides.begin(), overrides.end());
  request.waves = waves;
  CountedRun run;
  SessionCalls calls;
  calls.begin = [&](const Plan&) { ++run.passes; };
  run_scene(request, calls,
            [&](const Finished& done, const PlanReport& report) { run.document = run_json(done, report); });
  return run;
}

std::string remarks_of(const CountedRun& run) { return run.document["remarks"].dump(); }

}  // namespace

TEST_CASE("A run takes the waves of another where only geometry, scattering or the output differ") {
  TemporaryFolder folder;
  const std::vector<std::string> rough = {"materials.plasterboard.scattering=0.4", "above.seed=3", "above.rays=2000",
                                          "output.sample_rate=32000"};
  CHECK(run_counted(folder / "first", {}).passes == 1);
  CHECK(run_counted(folder / "alone", rough).passes == 1);
  const CountedRun taken = run_counted(folder / "taken", rough, folder / "first");
  CHECK(taken.passes == 0);
  CHECK(taken.document["waves_from"] == (folder / "first/result.h5").string());
  CHECK(read_file(folder / "taken/ir_R.wav") == read_file(folder / "alone/ir_R.wav"));
  CHECK(read_file(folder / "taken/ir_R.wav") != read_file(folder / "first/ir_R.wav"));
  const Result one = read_result(folder / "taken/result.h5"), other = read_result(folder / "alone/result.h5");
  CHECK(one.rendered.ir == other.rendered.ir);
  CHECK(one.recording.pressure == other.recording.pressure);
  CHECK((one.metrics_json == other.metrics_json && one.plan_json == other.plan_json));
  CHECK((one.agreement_json == other.agreement_json && !one.agreement_json.empty()));
  CHECK((one.wave_print == other.wave_print && !one.wave_print.empty()));
  // The waves of a run that took them serve as well.
  CHECK(run_counted(folder / "third", {}, folder / "taken/result.h5").passes == 0);
  CHECK(read_file(folder / "third/ir_R.wav") == read_file(folder / "first/ir_R.wav"));
}

TEST_CASE("Waves of another plan are computed, however little it differs, and the run says so") {
  TemporaryFolder folder;
  const auto wall = [](const std::string& admittance) {
    return std::vector<std::string>{"materials.plasterboard={admittance=" + admittance + "}"};
  };
  CHECK(run_counted(folder / "first", wall("0.05")).passes == 1);
  CHECK(run_counted(folder / "same", wall("0.05"), folder / "first").passes == 0);
  const CountedRun other = run_counted(folder / "other", wall("0.05000000000001"), folder / "first");
  CHECK(other.passes == 1);
  CHECK_FALSE(other.document.contains("waves_from"));
  CHECK_THAT(remarks_of(other), Catch::Matchers::Contains("were not taken: they are those of another plan"));
  std::vector<std::string> longer = wall("0.05");
  longer.emplace_back("simulation.duration=0.06");
  CHECK(run_counted(folder / "longer", longer, folder / "first").passes == 1);
  std::vector<std::string> frames = wall("0.05");
  frames.emplace_back("output.snapshots=[{plane=\"z\",position=0.7,every=0.01}]");
  CHECK_THAT(remarks_of(run_counted(folder / "frames", frames, folder / "first")),
             Catch::Matchers::Contains("snapshots"));
  CHECK_THROWS_AS(run_counted(folder / "none", {}, folder / "nowhere"), Error);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_CASE("the fingerprint of waves differs between plans that the one of checkpoints takes as equal") {
  SceneRequest request;
  request.scene = "room.toml";
  request.text = small_room;
  std::string rounded, exact;
  plan_scene(request, [&](const PlanReport& report) {
    Plan plan = report.planned->plan;
    rounded = fingerprint_of(plan).hash;
    exact = exact_print(plan);
    CHECK(exact_print(plan) == exact);
    plan.boundary.laws.front().branches.front().E *= 1.0 + 1e-12;
    CHECK(fingerprint_of(plan).hash == rounded);
    CHECK(exact_print(plan) != exact);
    plan = report.planned->plan;
    plan.receivers.front().weights.front() *= 1.0 + 1e-12;
    CHECK(exact_print(plan) != exact);
  });
}
