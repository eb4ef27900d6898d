// Notes of a plan on the file of a head.
#include "engine/binaural/binaural_receiver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/math/directions.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

TEST_CASE("binaural_receiver: a note states that directions were measured early or late, of a file where they were") {
  const TemporaryFolder folder;
  HeadResponses head = rigid_sphere_head(spiral(120), 44100.0, 128, 40.0);
  const std::string text = small + "pattern = \"binaural\"\norder = 2\ndirection = [1, 0, 0]\nhrtf = \"head.sofa\"\n";
  const auto note = [&] {
    std::filesystem::remove(folder / "head.sofa");
    write_head_file(folder / "head.sofa", head);
    const ParsedScene parsed = parse_scene(text, folder / "hall.toml");
    REQUIRE(parsed.problems.empty());
    std::vector<std::string> remarks;
    std::vector<Problem> problems;
    REQUIRE(binaural_receivers(parsed.scene, remarks, problems).size() == 1);
    REQUIRE(problems.empty());
    REQUIRE(remarks.size() == 1);
    return remarks[0];
  };
  CHECK_THAT(note(), !Contains("early or late"));
  for (std::size_t q = 0; q < head.directions.size(); ++q)
    for (std::size_t ear = 0; ear < 2 && std::abs(head.directions[q][2]) > 0.6; ++ear) {
      const auto begin = head.ears.begin() + static_cast<std::ptrdiff_t>((2 * q + ear) * head.samples);
      std::rotate(begin, begin + 125, begin + 128);  // three samples late
    }
  // In the mean over directions 3 samples of 2 fifths of the sphere: the others are early by 27 µs, these late by 41 µs.
  const std::string found = note();
  const std::size_t unit = found.find(" µs early or late at both ears are put at their time");
  REQUIRE(unit != found.npos);
  CHECK(std::stod(found.substr(found.rfind(' ', unit - 1))) == Approx(41.0).margin(15.0));
}
