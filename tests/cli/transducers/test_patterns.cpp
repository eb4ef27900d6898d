// Directional sources and receivers as a user requests them; tests/physics/test_directivity.cpp checks what they
// receive.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/result.hpp"
#include "engine/results/wav_comment.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::string receiver(const std::string& name, const std::string& keys) {
  return "[[receiver]]\nname = \"" + name + "\"\nposition = [1.3, 1.1, 0.8]\n" + keys;
}

std::string room(const std::string& receivers, const std::string& source_keys = "") {
  SceneText scene;
  scene.simulation = "duration = 0.05\nmax_frequency = 600\nstencil = \"leggy-3\"\nprecision = \"f64\"\n";
  scene.box = "[2.4, 2.0, 1.6]";
  scene.materials = "[materials.panel]\nadmittance = 0.1\n";
  scene.source_keys = source_keys;
  scene.receiver = "";
  scene.more = receivers;
  return text_of(scene);
}

using ChannelSamples = std::vector<std::vector<double>>;

ChannelSamples heard(const TemporaryFolder& folder, const std::string& file) {
  return read_audio(folder.path() / "out" / file).channels;
}

double peak(const std::vector<double>& x) {
  double most = 0.0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

// The largest difference to a + b times `fraction`.
double difference(const std::vector<double>& x, double a, const std::vector<double>& one, double b,
                  const std::vector<double>& other) {
  REQUIRE(x.size() == one.size());
  REQUIRE(x.size() == other.size());
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - a * one[i] - b * other[i]));
  return most;
}

}  // namespace

TEST_CASE("patterns of receivers are sums of ambisonic channels at the same place", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room(receiver("omni", "") + receiver("third", "pattern = \"ambisonic\"\norder = 3\n") +
                                 receiver("eight", "pattern = \"figure-eight\"\ndirection = [0, 2, 0]\n") +
                                 receiver("card", "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n") +
                                 receiver("up", "pattern = \"hypercardioid\"\ndirection = [0, 0, 1]\n")));
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const ChannelSamples omni = heard(folder, "ir_omni.wav"), third = heard(folder, "ir_third.wav");
  REQUIRE(omni.size() == 1);
  REQUIRE(third.size() == 16);
  const std::vector<double>& w = omni[0];
  const double little = 2e-6 * peak(w);  // samples are written in single precision
  CHECK(peak(w) > 0.005);
  for (const auto& channel : third) CHECK(peak(channel) > 0.01 * peak(w));
  CHECK(difference(third[0], 1.0, w, 0.0, w) < little);
  CHECK(difference(heard(folder, "ir_eight.wav").at(0), 1.0, third[1], 0.0, w) < little);
  CHECK(difference(heard(folder, "ir_card.wav").at(0), 0.5, w, 0.5, third[3]) < little);
  CHECK(difference(heard(folder, "ir_up.wav").at(0), 0.25, w, 0.75, third[2]) < little);
}

TEST_CASE("the microphones of an array have the bytes of plain receivers, in one file", "[cli]") {
  const TemporaryFolder folder;
  folder.write("device.csv", "name,x,y,z\nfront,0.05,0,0\n10,-0.05,0.02,0.01\n");
  // Receivers may be called as channels are beside a colon.
  folder.write("room.toml", room("[[receiver]]\nname = \"m01\"\nposition = [1.35, 1.1, 0.8]\n"
                                 "[[receiver]]\nname = \"x#3\"\nposition = [1.25, 1.12, 0.81]\n" +
                                 receiver("device", "array = \"device.csv\"\n")));
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out", "--sofa"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const ChannelSamples device = heard(folder, "ir_device.wav");
  REQUIRE(device.size() == 2);
  CHECK(device[0] == heard(folder, "ir_m01.wav").at(0));
  CHECK(device[1] == heard(folder, "ir_x#3.wav").at(0));
  CHECK(std::filesystem::exists(folder.path() / "out" / "responses_array_device.sofa"));
  CHECK(read_result(folder / "out/result.h5").recording.receivers[3].name == "device::10");
  CHECK(read_response_note(read_audio(folder / "out/ir_device.wav").comment)->channels == "front, 10");
  const Outcome played = run_fdtd({"auralize", "out", "--receiver", "device", "-o", "device.wav"}, folder.path());
  CHECK(played.out.find("S1 at device, the 2 microphones of an array\n") != std::string::npos);
  REQUIRE(run_fdtd({"auralize", "out", "--receiver", "device::10", "-o", "ten.wav"}, folder.path()).status == 0);
  CHECK(read_audio(folder / "ten.wav").channels.at(0) == read_audio(folder / "device.wav").channels.at(1));
  const Outcome other = run_fdtd({"auralize", "out", "--receiver", "device", "-o", "device.mp3"}, folder.path());
  CHECK(other.status == 2);
  CHECK(other.err.find("would be a WAV file by another name") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "device.mp3"));
  CHECK(run_fdtd({"auralize", "out", "-o", "any.wav"}, folder.path()).err.find("m01, 'x#3', device") !=
        std::string::npos);
  const nlohmann::json crossed =
      json_of(run_fdtd({"match", "out", "out", "--pair", "S1:device::front=S1:device::10", "--json"}, folder.path()));
  CHECK(crossed["only_in_run"] == nlohmann::json{"S1 at device::10"});
  for (const char* name : {"a::W", "R:00", "R:v"}) {
    const Outcome refused =
        run_fdtd({"plan", "room.toml", "--set", fmt::format("receiver.0.name=\"{}\"", name)}, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.err.find("holds the character :") != std::string::npos);
  }
}

TEST_CASE("an array whose file has a problem is refused for that alone", "[cli]") {
  const TemporaryFolder folder;
  folder.write("device.csv", "x,y,z\n0.05,nan,0\n");
  folder.write("room.toml", room(receiver("device", "array = \"device.csv\"\ndirection = [0, 1, 0]\n")));
  const Outcome refused = run_fdtd({"plan", "room.toml"}, folder.path());
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK(refused.err.find("1 problem in room.toml") != std::string::npos);
  CHECK(refused.err.find("device.csv") != std::string::npos);
}

TEST_CASE("names with a comma or an equals sign are those of files, of SOFA's descriptions and of pairs", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room(receiver("front, left", "") + receiver("a=b", "") + receiver("a", "")));
  const Outcome run = run_fdtd(
      {"run", "room.toml", "-o", "out", "--sofa", "--quiet", "--set", "source.0.name=\"S=1, 2\""}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(std::filesystem::exists(folder.path() / "out/ir_front, left.wav"));
  CHECK(read_result(folder / "out/result.h5").recording.receivers[1] == ChannelId("a=b"));
  const auto pairs_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"match", "out"});
    words.emplace_back("--json");
    const nlohmann::json found = json_of(run_fdtd(words, folder.path()));
    CHECK(found["only_in_run"].size() == 3 - found["pairs"].size());
    return found["pairs"];
  };
  CHECK(pairs_of({"out/responses.sofa", "--max-frequency", "600"}).size() == 3);
  const nlohmann::json crossed = pairs_of({"out", "--pair", "S=1, 2:a=b=S=1, 2:front, left"});
  REQUIRE(crossed.size() == 2);
  CHECK(crossed[0]["receiver"] == "a=b");
  CHECK(crossed[0]["measured_receiver"] == "front, left");
}

TEST_CASE("the weight of a microphone multiplies its response and its level, and its name is the channel's", "[cli]") {
  const TemporaryFolder folder;
  folder.write("device.csv", "name,x,y,z,weight\nfront,0.05,0,0,-2\n10,-0.05,0.02,0.01,1\n");
  const std::string text = room(
      "[[receiver]]\nname = \"one\"\nposition = [1.35, 1.1, 0.8]\n"
      "[[receiver]]\nname = \"two\"\nposition = [1.25, 1.12, 0.81]\n" +
      receiver("device", "array = \"device.csv\"\n"));
  for (const std::string above : {"none", "rays"}) {
    folder.write("room.toml", text);
    const Outcome run = run_fdtd({"run", "room.toml", "-o", "out", "--sofa", "--force", "--set",
                                  "above.method=" + above, "--set", "above.rays=2000"},
                                 folder.path());
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto check_samples = [&] {
      const ChannelSamples device = heard(folder, "ir_device.wav"), one = heard(folder, "ir_one.wav");
      REQUIRE(device.size() == 2);
      REQUIRE(peak(one[0]) > 0.0);
      CHECK(difference(device[0], -2.0, one[0], 0.0, one[0]) == 0.0);
      CHECK(device[1] == heard(folder, "ir_two.wav").at(0));
    };
    if (above == "none") check_samples();
    const Result read = read_result(folder.path() / "out/result.h5");
    CHECK(read.recording.receivers[2].name == "device::front");
    const nlohmann::json document = json_of(run_fdtd({"metrics", "out/result.h5", "--json"}, folder.path()));
    CHECK(document["responses"][2]["receiver"] == "device::front");
    const auto G = [&](std::size_t channel, double centre) {
      for (const nlohmann::json& band : document["responses"][channel]["metrics"]["bands"])
        if (band["centre"] == centre) return band["G"].get<double>();
      throw std::runtime_error("no such band");
    };
    const double louder = 20.0 * std::log10(2.0);
    CHECK(G(2, 250.0) - G(0, 250.0) == Approx(louder).margin(above == "none" ? 1e-9 : 0.1));
    // Of geometry, whose late sound is noise of its own for each receiver.
    if (above == "rays") CHECK(G(2, 4000.0) - G(0, 4000.0) == Approx(louder).margin(0.5));
    CHECK(read_response_note(read_audio(folder / "out/ir_device.wav").comment)->channels == "front, 10");
    // The weights are applied again to what is rendered again.
    const std::string before = read_file(folder / "out/ir_device.wav");
    REQUIRE(run_fdtd({"render", "out/result.h5", "-o", "again", "--force"}, folder.path()).status == 0);
    CHECK(read_file(folder / "again/ir_device.wav") == before);
  }
}

TEST_CASE("order 9 has 100 channels, the limits of each order in the plan, and room to every side", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.01\nmax_frequency = 900\nstencil = \"leggy-3\"\nprecision = \"f64\"\n";
  scene.box = "[3.2, 3.0, 2.8]";
  scene.source = "[0.4, 0.5, 0.6]";
  scene.receiver = "[1.7, 1.5, 1.4]";
  scene.receiver_keys = "pattern = \"ambisonic\"\norder = 9\n";
  folder.write("room.toml", text_of(scene));
  const Outcome plan = run_fdtd({"plan", "room.toml"}, folder.path());
  INFO(plan.out << plan.err);
  REQUIRE(plan.status == 0);
  std::string words;  // lines are wrapped
  for (const char c : plan.out + plan.err)
    if (!(std::isspace(static_cast<unsigned char>(c)) != 0 && words.ends_with(' '))) words += c == '\n' ? ' ' : c;
  CHECK(words.find("order 9 holds from 287 to 900 Hz") != std::string::npos);
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(heard(folder, "ir_R1.wav").size() == 100);
  scene.receiver = "[1.7, 1.5, 0.2]";
  folder.write("low.toml", text_of(scene));
  const Outcome low = run_fdtd({"run", "low.toml", "-o", "low"}, folder.path());
  CHECK(low.status == 2);
  CHECK(low.err.find("R1: order 9 takes a ball of nodes and needs") != std::string::npos);
  CHECK(low.err.find("a wall is 0.2 m away") != std::string::npos);
  CHECK(!std::filesystem::exists(folder.path() / "low"));
}

TEST_CASE("a cardioid source is half a monopole and half a figure-eight, and the plan counts its runs", "[cli]") {
  const TemporaryFolder folder;
  std::vector<std::vector<double>> responses;
  for (const std::string pattern : {"", "figure-eight", "cardioid"}) {
    const std::string keys = pattern.empty() ? "" : "pattern = \"" + pattern + "\"\ndirection = [0, -1, 0]\n";
    folder.write("room.toml", room(receiver("R", ""), keys));
    const Outcome run = run_fdtd({"run", "room.toml", "-o", "out", "--force"}, folder.path());
    INFO(run.err);
    REQUIRE(run.status == 0);
    responses.push_back(heard(folder, "ir_R.wav").at(0));
  }
  CHECK(peak(responses[1]) > 0.05 * peak(responses[0]));
  CHECK(difference(responses[2], 0.5, responses[0], 0.5, responses[1]) < 2e-6 * peak(responses[0]));
}

TEST_CASE("a cardioid source is one pass, with the same bytes resumed, on two threads and with snapshots", "[cli]") {
  const TemporaryFolder folder;
  const std::string receivers =
      "[[receiver]]\nname = \"A\"\nposition = [1.3, 1.1, 0.8]\n[[receiver]]\nname = \"B\"\nposition = [0.8, 0.9, "
      "0.8]\n";
  const std::string keys = "pattern = \"cardioid\"\ndirection = [0, -1, 0]\n";
  folder.write("one.toml", room(receivers, keys));
  folder.write("two.toml",
               room(receivers + "[output]\nsnapshots = [{ plane = \"z\", position = 0.6, every = 0.01 }]\n", keys));
  folder.write("third.toml", room(receivers + receiver("C", "pattern = \"ambisonic\"\norder = 1\n"), keys));
  CHECK(json_of(run_fdtd({"plan", "one.toml", "--json"}, folder.path()))["passes"] == 1);
  CHECK(json_of(run_fdtd({"plan", "two.toml", "--json"}, folder.path()))["passes"] == 1);
  CHECK(json_of(run_fdtd({"plan", "third.toml", "--json"}, folder.path()))["passes"] == 1);
  const std::string text = run_fdtd({"plan", "one.toml"}, folder.path()).out;
  CHECK(text.find("1, one for each source, all parts of a directional one") != std::string::npos);
  const auto made = [&](std::vector<std::string> options, int status) {
    options.insert(options.begin(), "run");
    const Outcome outcome = run_fdtd(options, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == status);
    return outcome.out + outcome.err;
  };
  made({"one.toml", "-o", "gold", "--threads", "1"}, 0);
  made({"one.toml", "-o", "threads", "--threads", "2"}, 0);
  made({"one.toml", "-o", "resumed", "--threads", "1", "--max-time", "0.0001s"}, 130);
  made({"one.toml", "-o", "resumed", "--threads", "1", "--resume"}, 0);
  made({"two.toml", "-o", "two", "--threads", "1"}, 0);
  const auto result = [&](const std::string& name) { return read_result(folder.path() / name / "result.h5"); };
  const Result gold = result("gold");
  CHECK(channel_names(gold.recording.sources) == std::vector<std::string>{"S1", "S1:v"});
  CHECK(gold.recording.energy[1].empty());
  for (const char* name : {"threads", "resumed", "two"}) {
    CHECK(result(name).recording.pressure == gold.recording.pressure);
    CHECK(result(name).rendered.ir == gold.rendered.ir);
  }
  // `render` makes the same of the stored record.
  REQUIRE(run_fdtd({"render", "gold/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder / "again/ir_A.wav") == read_file(folder / "gold/ir_A.wav"));
}

TEST_CASE("a duration shorter than the time of flight is a warning of plan and run", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.004\nmax_frequency = 400\nstencil = \"leggy-2\"\n";
  scene.box = "[3.0, 1.1, 0.9]";
  scene.receiver = "[2.7, 0.3, 0.4]";
  folder.write("room.toml", text_of(scene));
  const Outcome plan = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(plan.out.find("from S1 to R1 sound takes 0.0065") != std::string::npos);
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out"}, folder.path());
  CHECK((run.out + run.err).find("shorter than the time of flight") != std::string::npos);
  scene.receiver = "[0.7, 0.3, 0.4]";
  folder.write("room.toml", text_of(scene));
  CHECK(run_fdtd({"plan", "room.toml"}, folder.path()).out.find("time of flight") == std::string::npos);
}

TEST_CASE("one warning names the worst pair whose orders are cut off beside oblique walls, and counts the others",
          "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.3\nmax_frequency = 300\nstencil = \"leggy-2\"\n";
  scene.materials = "[materials.panel]\nadmittance = 0.2\n";
  const test::Turn turn = test::turned(27.0, 16.0, {2.5, 1.5, 0.5});
  folder.write("turned.obj", test::as_obj(test::box_mesh({0, 0, 0}, {3.6, 3.1, 2.7}, turn)));
  scene.room = "mesh = \"turned.obj\"\nunits = \"m\"\nup = \"z\"\n";
  const auto place = [&](double x, double y, double z) {
    const test::Place p = turn({x, y, z});
    return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]);
  };
  scene.source = place(0.6, 0.5, 0.6);
  scene.receiver = place(2.8, 2.5, 2.0);
  const std::string ambisonic = "pattern = \"ambisonic\"\norder = 3\n";
  const std::string near = "[[receiver]]\nname = \"near\"\nposition = " + place(0.9, 0.5, 0.6) + "\n" + ambisonic;
  const auto warning_of = [&](const std::string& more) {
    scene.more = more;
    folder.write("room.toml", text_of(scene));
    const std::string out = run_fdtd({"plan", "room.toml"}, folder.path()).out;
    const std::size_t at = out.find("low frequencies of");
    if (at == std::string::npos) return std::string();
    CHECK(out.find("low frequencies of", at + 1) == std::string::npos);
    const std::size_t begin = out.rfind('\n', at) + 1;
    return out.substr(begin, out.find('\n', at) - begin);
  };
  CHECK(warning_of("") == "");
  const std::string alone = warning_of(near);
  CHECK(alone.find("near: from order ") != std::string::npos);
  CHECK(alone.find("0.3 m apart") != std::string::npos);
  CHECK(alone.find("more pair") == std::string::npos);
  const std::string two =
      warning_of(near + "[[receiver]]\nname = \"next\"\nposition = " + place(1.1, 0.5, 0.6) + "\n" + ambisonic);
  CHECK(two.find("1 more pair is off by 10 % or more") != std::string::npos);
  CHECK(two.find("passes for that") == std::string::npos);
  // A directional source takes a pass for each of its parts there, and its snapshots show the first.
  scene.source_keys = "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n";
  const std::string film = "[output]\nsnapshots = [{ plane = \"z\", position = 1.0, every = 0.01 }]\n";
  CHECK(warning_of(near + film).find("S1 takes 2 passes for that, one for each of its parts") != std::string::npos);
  const nlohmann::json plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
  CHECK(plan["passes"] == 2);
  CHECK(plan["warnings"].dump().find("snapshots of source S1 show its omnidirectional part alone") !=
        std::string::npos);
  CHECK(warning_of(film).empty());
  const nlohmann::json far = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
  CHECK(far["passes"] == 1);
  CHECK(far["warnings"].dump().find("snapshots of source") == std::string::npos);
}

TEST_CASE("patterns that are none are refused by name, with what is known", "[cli]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    folder.write("room.toml", text);
    const Outcome plan = run_fdtd({"plan", "room.toml"}, folder.path());
    CHECK(plan.status == 2);
    return plan.err;
  };
  CHECK(refused(room(receiver("R", "pattern = \"cardoid\"\ndirection = [1, 0, 0]\n"))).find("cardioid") !=
        std::string::npos);
  CHECK(refused(room(receiver("R", "pattern = \"cardioid\"\n"))).find("direction") != std::string::npos);
  CHECK(refused(room(receiver("R", "pattern = \"cardioid\"\ndirection = [0, 0, 0]\n"))).find("direction") !=
        std::string::npos);
  CHECK(refused(room(receiver("R", "pattern = \"ambisonic\"\norder = 10\n"))).find("order") != std::string::npos);
  CHECK(refused(room(receiver("R", ""), "pattern = \"ambisonic\"\norder = 1\n")).find("source.S") != std::string::npos);
}

TEST_CASE("a receiver of order 4 is stored with what is above the waves, and rendered again to the same bytes",
          "[cli]") {
  const TemporaryFolder folder;
  folder.write("scene.toml", room(receiver("A", "pattern = \"ambisonic\"\norder = 4\n")));
  const Outcome run = run_fdtd({"run", "scene.toml", "-o", "made", "--set", "simulation.max_frequency=900", "--set",
                                "above={ method = \"rays\", rays = 1000 }"},
                               folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const Outcome again = run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path());
  INFO(again.err);
  REQUIRE(again.status == 0);
  const Audio first = read_audio(folder / "made/ir_A.wav"), second = read_audio(folder / "again/ir_A.wav");
  REQUIRE(first.channels.size() == 25);
  CHECK(first.channels == second.channels);
}
