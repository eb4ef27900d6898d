// Control characters never reach a terminal, whichever file, name or argument it comes from.
#include <string>

#include "base/utf8.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forge.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// ESC, BEL, DEL, C1 as a byte and as a character, a right-to-left override, invalid UTF-8.
const std::string hostile =
    "a\x1B[31m\x07\x7F\x9B"
    "2J\xC2\x9B"
    "2J\xE2\x80\xAE\xFF";

void check_harmless(const Outcome& outcome) {
  for (const std::string& text : {outcome.out, outcome.err})
    for (std::size_t at = 0; at < text.size();) {
      const fdtd::Glyph glyph = fdtd::glyph_at(text, at);
      if (glyph.code != U'\n' && glyph.code != U'\t') CHECK((glyph.valid && fdtd::is_printable(glyph.code)));
      at += glyph.bytes;
    }
}

}  // namespace

TEST_CASE("arguments and paths are printed without what a terminal would obey", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of({}));
  folder.write(hostile + ".toml", text_of({}));
  folder.write(hostile + ".wav", "no sound");
  folder.write(hostile + ".h5", "no result");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {hostile},
           {"run", "room.toml", "--" + hostile},
           {"run", hostile},
           {"run", hostile + ".toml", "-o", hostile},
           {"run", hostile + ".toml", "-o", hostile, "--resume"},
           {"run", hostile + ".toml", "-o", hostile, "--resume", "--json"},
           {"run", hostile + ".toml", "-o", hostile + "2", "--json"},
           {"run", "room.toml", "--device", hostile},
           {"run", "room.toml", "--max-time", hostile},
           {"run", "room.toml", "--kernel", hostile},
           {"plan", "room.toml", "--set", "simulation.stencil=" + hostile},
           {"plan", "room.toml", "--gpu-memory", hostile},
           {"sweep", hostile + ".toml", "-o", hostile + "3", "--set", "simulation.duration=[0.01]"},
           {"sweep", "room.toml", "--set", hostile},
           {"metrics", hostile + ".wav"},
           {"metrics", hostile + "/ir_R1.wav"},
           {"metrics", hostile + "/ir_R1.wav", "--json"},
           {"auralize", hostile + "/ir_R1.wav", hostile + "/ir_R1.wav", "-o", hostile + "4.wav"},
           {"render", hostile + ".h5"},
           {"render", hostile + "/result.h5", "-o", hostile + "5"},
           {"report", hostile + "/result.h5", "-o", hostile + "6.html", "--receiver", hostile},
           {"movie", hostile + ".h5"},
           {"materials", hostile},
           {"stencils", hostile},
           {"profile", hostile}}) {
    const Outcome outcome = run_fdtd(command, folder.path());
    INFO(command[0] << ": status " << outcome.status << "\n" << outcome.out << outcome.err);
    check_harmless(outcome);
    CHECK(outcome.err.find("json.exception") == std::string::npos);
    CHECK(outcome.err.find("unexpected failure") == std::string::npos);
    if (command.back() == "--json") CHECK_NOTHROW(nlohmann::json::parse(outcome.out));
  }
}

TEST_CASE("texts of a forged result are printed without what a terminal would obey", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of({}));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  forge(folder / "made/result.h5", folder / "remark.h5", [](fdtd::H5Index& index, std::string&) {
    index.values[{"/render", "format"}] = hostile;
    index.values[{"/", "format"}] = std::string("fdtd result");
  });
  const Outcome refused = run_fdtd({"render", "remark.h5"}, folder.path());
  CHECK(refused.status == 5);
  check_harmless(refused);
  forge(folder / "made/result.h5", folder / "plan.h5", [](fdtd::H5Index& index, std::string&) {
    index.values[{"/provenance", "plan"}] = std::string("{\"warnings\": 3}");
  });
  const Outcome report = run_fdtd({"report", "plan.h5"}, folder.path());
  CHECK(report.status == 5);
  CHECK_THAT(report.err, Contains("not JSON that this program writes"));
  CHECK(report.err.find("json.exception") == std::string::npos);
}
