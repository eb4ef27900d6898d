#include "scenes/toml/stencil_file.hpp"

#include <fmt/format.h>

#include <ctime>
#include <string>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;
using fdtd::test::times_seconds;

namespace {

std::string text_of(const Stencil& stencil) {
  std::string shells, weights;
  for (std::size_t i = 0; i < stencil.shells.size(); ++i) {
    const Shell& q = stencil.shells[i];
    shells += fmt::format("[{}, {}, {}], ", q.q1, q.q2, q.q3);
    weights += fmt::format("{:.17g}, ", stencil.weights[i]);
  }
  return fmt::format("name = \"mine\"\ncourant = {:.17g}\ncentre = {:.17g}\nshells = [{}]\nweights = [{}]\n",
                     stencil.courant, stencil.centre, shells, weights);
}

bool reports(const StencilFile& file, const std::string& part) {
  for (const Problem& problem : file.problems)
    if (problem.message.find(part) != std::string::npos || problem.where.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a user's weights are read and derived from", "[scenes]") {
  const TemporaryFolder folder;
  const Stencil& original = *find_stencil("compact-5/opt1");
  const StencilFile file = load_stencil(folder.write("mine.toml", text_of(original)));
  for (const Problem& problem : file.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(file.problems.empty());
  CHECK(file.stencil.name == "mine");
  CHECK(file.stencil.shells == original.shells);
  CHECK(file.stencil.weights == original.weights);
  CHECK(file.stencil.courant == original.courant);
  CHECK(file.stencil.order == original.order);
  CHECK(file.stencil.proof == WallProof::block);
  CHECK(load_stencil(folder.write("axes.toml", text_of(*find_stencil("leggy-3/opt1")))).stencil.proof ==
        WallProof::run_fold);
}

TEST_CASE("a radius of 20 is read at once, with weight or without", "[scenes]") {
  const TemporaryFolder folder;
  const auto seconds = [&folder](const std::string& text) {
    const std::clock_t began = std::clock();
    const StencilFile file = load_stencil(folder.write("far.toml", text));
    for (const Problem& problem : file.problems) UNSCOPED_INFO(problem.message);
    CHECK(file.problems.empty());
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  const std::string head = "courant = 0.5\nname = \"far\"\n";
  CHECK(seconds(head + "centre = 0.5\nshells = [[1, 0, 0], [20, 0, 0]]\nweights = [0.25, 0.0]\n") <
        0.1 * times_seconds);
  CHECK(seconds(head + "centre = 0.5\nshells = [[1, 0, 0], [20, 1, 0]]\nweights = [0.25, 0]\n") < 0.1 * times_seconds);
  // 24 points whose squares in x sum to 24 * 401 / 3: 4.1 s before only the wedge was scanned.
  CHECK(seconds(head + "centre = 0.596\nshells = [[1, 0, 0], [20, 1, 0]]\nweights = [0.23396, 0.00001]\n") <
        2.5 * times_seconds);
}

TEST_CASE("any point of a shell stands for it, and the same shell twice is refused with what weights must keep",
          "[scenes]") {
  const TemporaryFolder folder;
  const auto load = [&folder](const std::string& shells, const std::string& weights) {
    return load_stencil(folder.write(
        "any.toml", "courant = 0.5\ncentre = 0.5\nshells = [" + shells + "]\nweights = [" + weights + "]\n"));
  };
  for (const char* point : {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, -1]"}) {
    const StencilFile file = load(point, "0.25");
    CHECK(file.problems.empty());
    CHECK(file.stencil.shells == std::vector<Shell>{{1, 0, 0}});
  }
  const StencilFile twice = load("[1, 0, 0], [0, -1, 0]", "0.2, 0.05");
  CHECK(reports(twice, "shell (1, 0, 0) is there twice"));
  REQUIRE_FALSE(twice.problems.empty());
  CHECK(twice.problems[0].hint.find("sum to 2") != std::string::npos);
}

TEST_CASE("weights that are no stable scheme are refused, with the reason", "[scenes]") {
  const TemporaryFolder folder;
  const auto load = [&folder](const std::string& text) { return load_stencil(folder.write("w.toml", text)); };
  const std::string good = text_of(*find_stencil("leggy-2"));
  CHECK(load(good).problems.empty());
  CHECK_FALSE(
      load("courant = 0.5\ncentre = 0.6\nshells = [[1, 0, 0]]\nweights = [0.25]\n").problems.empty());  // sums to 2.1
  CHECK_FALSE(
      load("courant = 0.7\ncentre = -0.94\nshells = [[1, 0, 0]]\nweights = [0.49]\n").problems.empty());  // S < -2
  CHECK(reports(load("centre = 0.5\nshells = [[1, 0, 0]]\nweights = [0.25]\n"), "courant"));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = [[1, 0, 0]]\nweights = [0.25, 0.1]\n"),
                "2 weights for 1 shells"));
  CHECK(reports(load(good + "colour = 1\n"), "colour"));
  CHECK(reports(load("courant = nan\ncentre = 0.5\nshells = [[1, 0, 0]]\nweights = [0.25]\n"), "courant"));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = [[1, 0]]\nweights = [0.25]\n"), "shells"));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = [[99, 0, 0]]\nweights = [0.25]\n"), "shells"));
  CHECK(reports(load("courant = "), ""));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = []\nweights = []\n"), "is empty"));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = [1]\nweights = [0.25]\n"), "three whole numbers"));
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = 1\nweights = [0.25]\n"), "shells"));
  CHECK(reports(load(good + "time_dispersion_removal = 1\n"), "time_dispersion_removal"));
  CHECK(load(good + "time_dispersion_removal = false\n").problems.empty());
  std::string shells, weights;
  for (int i = 0; i < 65; ++i) {
    shells += "[1, 0, 0], ";
    weights += "0.1, ";
  }
  CHECK(reports(load("courant = 0.5\ncentre = 0.5\nshells = [" + shells + "]\nweights = [" + weights + "]\n"),
                "65 shells are too many: at most 64"));
  CHECK(load_stencil(folder.path() / "none.toml").problems.size() == 1);
  CHECK(load_stencil(folder.path()).problems.size() == 1);
}
