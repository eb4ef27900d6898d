#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/results/outputs.hpp"
#include "engine/results/result.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

OutputRequest request_in(const std::filesystem::path& folder) {
  OutputRequest request;
  request.folder = folder;
  request.sources = {"S"};
  request.receivers = {"left", "right"};
  request.signals = {nullptr};
  request.wanted = outputs_of_run();
  return request;
}

// All wanted files by name, in the table's order.
std::vector<std::string> names(const OutputRequest& request) {
  std::vector<std::string> list;
  for (const Output& output : outputs())
    if (request.wanted.contains(output.name))
      for (const auto& file : output.files(request)) {
        CHECK(file.parent_path() == request.folder);
        list.push_back(file.filename().string());
      }
  return list;
}

Result short_result() {
  Result result;
  result.recording.sample_rate = 12000.0;
  result.recording.samples = 600;
  result.recording.sources = {"S"};
  result.recording.receivers = {"left", "right"};
  result.recording.pressure.assign(1200, 0.0);
  result.recording.pressure[20] = result.recording.pressure[640] = 0.5;
  result.recording.energy.resize(1);
  result.source_positions = {{1, 1, 1}};
  result.receiver_positions = {{1, 2, 1}, {2, 1, 1}};
  result.options.bandwidth = 1000.0;
  result.options.duration = 0.04;
  result.rendered = render(result.recording, result.options);
  return result;
}

}  // namespace

TEST_CASE("outputs: a run writes responses, result and page, the rest where it is requested") {
  using Names = std::vector<std::string>;
  OutputRequest request = request_in("out");
  const Names audio = {"ir_left.wav", "ir_right.wav", "responses.wav"};
  const auto with = [](Names list, const Names& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  };
  const auto from_result = [&](const Names& more) { return with(with({"result.h5"}, audio), more); };
  CHECK(names(request) == from_result({"report.html"}));  // the result first, whatever goes wrong after it
  request.wanted.insert("sofa");
  CHECK(names(request) == from_result({"responses.sofa", "report.html"}));
  request.wanted.insert("snapshots");
  CHECK(names(request) == from_result({"responses.sofa", "snapshots.h5", "snapshots.xdmf", "report.html"}));
  request.wanted = outputs_of_render();
  request.wanted.insert("sofa");
  CHECK(names(request) == with(audio, {"responses.sofa"}));
  request.wanted.erase("sofa");
  request.signals = {std::make_shared<SamplesInMemory>(std::vector<double>{1.0, 0.5})};
  CHECK(names(request) == with(audio, {"recording_left.wav", "recording_right.wav"}));
}

TEST_CASE("outputs: more receivers than a sound file has channels have no common file") {
  OutputRequest request = request_in("out");
  request.receivers.clear();
  for (int i = 0; i < 1024; ++i) request.receivers.push_back("r" + std::to_string(i));
  const auto has_common = [&] {
    const auto list = names(request);
    return std::find(list.begin(), list.end(), "responses.wav") != list.end();
  };
  CHECK(has_common());
  request.receivers.emplace_back("one more");
  CHECK_FALSE(has_common());
}

TEST_CASE("outputs: what is wanted is written, under the names that were checked") {
  const TemporaryFolder folder;
  const Result result = short_result();
  OutputRequest request = request_in(folder.path());
  request.signals = {std::make_shared<SamplesInMemory>(std::vector<double>{1.0, 0.5})};
  request.wanted.insert("sofa");
  check_outputs(request);
  const Written written = write_outputs(request, {&result, 1.0, [](const Result&) { return "page"; }, nullptr});
  std::vector<std::string> list;
  for (const auto& file : written.files) {
    CHECK(std::filesystem::is_regular_file(file));
    list.push_back(file.filename().string());
  }
  CHECK(list == names(request));
  CHECK(written.remarks.empty());
  std::string page;
  std::ifstream(folder / "report.html") >> page;
  CHECK(page == "page");
}

TEST_CASE("outputs: one file in the way is enough, unless it may be replaced") {
  for (const char* name : {"ir_right.wav", "result.h5", "report.html", "responses.sofa", "snapshots.xdmf"}) {
    INFO(name);
    const TemporaryFolder folder;
    OutputRequest request = request_in(folder.path());
    request.wanted.insert({"sofa", "snapshots"});
    CHECK_NOTHROW(check_outputs(request));
    std::ofstream(folder / name) << "somebody's";
    CHECK_THROWS_AS(check_outputs(request), Error);
    request.force = true;
    CHECK_NOTHROW(check_outputs(request));
  }
}
