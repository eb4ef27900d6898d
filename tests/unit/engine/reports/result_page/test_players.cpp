#include "engine/reports/result_page/players.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

namespace fdtd::test {
namespace {

constexpr std::int64_t heard_samples = 400;

// Impulses of 1 and 0.25 at two receivers, and of 0.5 and 0.125 at the ears of a third at its first rotation of two.
Result heard_impulses() {
  Result result;
  result.recording.sources = {"S"};
  result.recording.receivers = {"R1", "R2", "B"};
  result.rendered.sample_rate = 8000.0;
  result.rendered.samples = heard_samples;
  const auto n = static_cast<std::size_t>(heard_samples);
  result.rendered.ir.assign(3 * n, 0.0);
  result.rendered.ir[0] = 1.0, result.rendered.ir[n] = 0.25, result.rendered.ir[2 * n] = 9.0;
  BinauralReceiver head{"B", "", {}, {}, {0.0, 90.0}, nullptr, std::vector<double>(4 * n, 0.0)};
  head.ears[0] = 0.5, head.ears[n] = 0.125, head.ears[2 * n] = head.ears[3 * n] = 7.0;
  result.binaural.push_back(head);
  return result;
}

const std::vector<ShownChannel> heard_channels = {{0, "S", "R1"}, {1, "S", "R2"}, {2, "S", "B"}};

std::string decoded(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    held = (held << 6 | static_cast<unsigned>(digits.find(c))) & 0xffff;
    if (bits += 6; bits >= 8) bits -= 8, bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

// The sounds of a page by name.
std::map<std::string, Audio> heard_sounds(const std::string& html) {
  const TemporaryFolder folder;
  std::map<std::string, Audio> sounds;
  const std::string label = "aria-label=\"", uri = "src=\"data:audio/flac;base64,";
  for (std::size_t at = html.find(label); at != std::string::npos; at = html.find(label, at + 1)) {
    const std::size_t name = at + label.size(), data = html.find(uri, at) + uri.size();
    folder.write("sound.flac", decoded(html.substr(data, html.find('"', data) - data)));
    sounds[html.substr(name, html.find('"', name) - name)] = read_audio(folder.path() / "sound.flac");
  }
  return sounds;
}

double heard_peak(const std::vector<double>& sound) {
  double peak = 0.0;
  for (const double x : sound) peak = std::max(peak, std::abs(x));
  return peak;
}

}  // namespace

TEST_CASE("players of a kind have one gain, and binaural receivers both ears at their first rotation") {
  const auto sounds = heard_sounds(players_html(heard_impulses(), heard_channels, {}));
  REQUIRE(sounds.size() == 7);
  CHECK(heard_peak(sounds.at("Dry sound").channels[0]) == Approx(0.9).margin(1e-4));
  for (const std::string kind : {"Response", "Dry sound"}) {
    CAPTURE(kind);
    const auto at = [&](const char* receiver) { return sounds.at(kind + ", S at " + receiver); };
    REQUIRE(at("R1").channels.size() == 1);
    REQUIRE(at("B").channels.size() == 2);
    CHECK(at("R1").sample_rate == 8000.0);
    CHECK(heard_peak(at("R1").channels[0]) == Approx(0.9).margin(1e-4));
    CHECK(heard_peak(at("R2").channels[0]) == Approx(0.225).margin(1e-4));
    CHECK(heard_peak(at("B").channels[0]) == Approx(0.45).margin(1e-4));
    CHECK(heard_peak(at("B").channels[1]) == Approx(0.1125).margin(1e-4));
  }
  // By an impulse the dry sound is played as it is.
  const std::vector<double>&dry = sounds.at("Dry sound").channels[0],
        &wet = sounds.at("Dry sound, S at R1").channels[0];
  for (std::size_t i = 0; i < dry.size(); i += 97) CHECK(wet[i] == Approx(dry[i]).margin(1e-4));
}

TEST_CASE("each player that does not fit is named, and those that fit take no more than their size") {
  const std::string none = players_html(heard_impulses(), heard_channels, {"", 1});
  CHECK(none.find("<audio") == std::string::npos);
  CHECK_THAT(none, Catch::Contains("Left out for the size of the page: Dry sound; Dry sound, S at R1; Dry sound, S at "
                                   "R2; Dry sound, S at B; Response, S at R1; Response, S at R2; Response, S at B."));
  const std::string some = players_html(heard_impulses(), heard_channels, {"", 60000});
  std::size_t data = 0;
  for (std::size_t at = some.find(";base64,"); at != std::string::npos; at = some.find(";base64,", at + 1))
    data += some.find('"', at) - at - 8;
  CHECK(data > 0);
  CHECK(data <= 60000 + 4 * 7);
  CHECK(heard_sounds(some).size() < 7);
  CHECK(players_html(heard_impulses(), heard_channels, {"", 0}).empty());
}

}  // namespace fdtd::test
