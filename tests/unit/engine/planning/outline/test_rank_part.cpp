// The part that a rank plans of a box by itself equals that cut from the whole plan, and holds only its slab.
#include "engine/planning/outline/rank_part.hpp"
#include "engine/walls/box_planes.hpp"

#include <fmt/format.h>

#include <optional>

#include "engine/plan/fingerprint.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/slab_plans.hpp"

using namespace fdtd;
using test::check_same;

namespace {

// A box of so many nodes, 0.1 m apart. `walls`: six of "soft", "hard" (two branches), "still" (rigid).
Scene box(const std::array<int, 3>& size, const std::array<std::string, 6>& walls, const std::string& more = "") {
  std::string text = fmt::format(
      "schema = 1\n[simulation]\nduration = 0.01\ngrid_spacing = 0.1\nstencil = \"leggy-1\"\n{}\n[room]\n"
      "box = [{}, {}, {}]\n[room.walls]\n",
      more, size[0] * 0.1, size[1] * 0.1, size[2] * 0.1);
  for (std::size_t side = 0; side < 6; ++side) text += fmt::format("{} = \"{}\"\n", wall_names[side], walls[side]);
  text += R"(
[materials.soft]
admittance = 0.1
[materials.hard]
branches = [{ D = 1e-3, E = 0.8, F = 120.0 }, { D = 2e-3, E = 4.0, F = 900.0 }]
[materials.still]
rigid = true
[[source]]
name = "s"
position = [0.4, 0.5, 0.45]
[[receiver]]
name = "r"
position = [0.3, 0.5, 0.7]
)";
  ParsedScene parsed = parse_scene(text, "box.toml");
  if (!parsed.problems.empty()) FAIL(parsed.problems[0].message);
  return std::move(parsed.scene);
}

const std::array<std::string, 6> all_soft = {"soft", "soft", "soft", "soft", "soft", "soft"};
const std::array<std::string, 6> mixed = {"soft", "hard", "still", "soft", "hard", "soft"};
const std::array<std::string, 6> still_floor = {"soft", "hard", "soft", "soft", "still", "hard"};
const std::array<std::string, 6> still_ceiling = {"hard", "soft", "soft", "still", "soft", "still"};

Target rank_of(int rank, int ranks) {
  Target target;
  target.ranks = ranks;
  target.rank = rank;
  return target;
}

// Every rank's own planning against the cut of the whole plan, and the fingerprint that they compute together.
void check_parts_of_ranks(const Scene& scene, const Stencil& stencil, int ranks) {
  const Plan whole = make_plan(scene, stencil).plan;
  const std::vector<PlaneCounts> counts = plane_counts(whole);
  INFO(stencil.name << ", " << whole.grid.size[0] << " x " << whole.grid.size[1] << " x " << whole.grid.size[2] << ", "
                    << ranks << " ranks");
  std::vector<std::uint64_t> hashes;
  std::optional<PlanResult> last;
  for (int rank = 0; rank < ranks; ++rank) {
    PlanResult planned = make_plan(scene, stencil, rank_of(rank, ranks));
    REQUIRE((planned.counts == counts));
    CHECK(planned.plan.near_wall.segments.empty());
    CHECK(planned.plan.boundary.nodes.empty());
    REQUIRE(planned.part);
    CHECK(planned.part->branches == whole.boundary.branch_begin.back());
    const std::vector<TapFraction> fractions = tap_fractions(whole.boundary);
    REQUIRE(planned.wall_taps.size() == fractions.size());
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      CHECK(planned.wall_taps[i].taps == fractions[i].taps);
      CHECK(planned.wall_taps[i].fraction == fractions[i].fraction);
    }
    const SlabPlan& part = planned.part->own;
    check_same(part, part_of(whole, counts, ranks, rank).own);
    const int first = part.slab.ghosts_below;
    for (const std::uint64_t hash : wall_hashes(part.plan, first, first + part.slab.planes())) hashes.push_back(hash);
    last = std::move(planned);
  }
  CHECK(difference(fingerprint_of(last->plan, last->part->branches, hashes), fingerprint_of(whole)).empty());
}

}  // namespace

TEST_CASE("a rank plans the same share of a box as is cut from the whole, for any walls and sides") {
  for (const auto& walls : {all_soft, mixed, still_floor, still_ceiling}) {
    for (const std::array<int, 3>& size : {std::array{17, 18, 67}, {31, 9, 70}, {40, 35, 41}, {8, 44, 61}})
      check_parts_of_ranks(box(size, walls), *find_stencil("leggy-1"), 3);
  }
}

TEST_CASE("a rank plans the same share of a box as is cut from the whole, for any stencil") {
  for (const char* stencil : {"leggy-2", "leggy-4", "leggy-9", "compact-3", "compact-6", "box-222"}) {
    check_parts_of_ranks(box({37, 26, 88}, mixed), *find_stencil(stencil), 4);
    check_parts_of_ranks(box({22, 45, 93}, still_floor), *find_stencil(stencil), 3);
  }
  check_parts_of_ranks(box({37, 26, 88}, mixed, "remove_time_dispersion = true"), *find_stencil("leggy-4"), 4);
  check_parts_of_ranks(box({47, 50, 157}, still_floor), *find_stencil("leggy-20"), 3);
  // Walls of five, seven and eight nodes.
  for (const char* stencil : {"box-222", "compact-9", "leggy-4/warp1"}) {
    for (const auto& walls : {all_soft, mixed, still_floor, still_ceiling}) {
      check_parts_of_ranks(box({41, 38, 90}, walls, "dispersion_error = 0.02"), *find_stencil(stencil), 3);
      check_parts_of_ranks(box({14, 43, 77}, walls, "dispersion_error = 0.02"), *find_stencil(stencil), 3);
    }
  }
}

TEST_CASE("the part of a rank has the steps and the stop band of the plan, whose walls end it early") {
  const Scene scene = box({20, 18, 60}, mixed, "wall_error = 0.01");
  const Stencil& stencil = *find_stencil("leggy-1");
  const PlanResult whole = make_plan(scene, stencil);
  REQUIRE(whole.bandwidth() < 440.0);  // the interior would hold to 450 Hz
  for (int rank = 0; rank < 2; ++rank) {
    const PlanResult planned = make_plan(scene, stencil, rank_of(rank, 2));
    REQUIRE(planned.part);
    const Plan& part = planned.part->own.plan;
    CHECK(part.steps == whole.plan.steps);
    CHECK(part.stop.low == whole.plan.stop.low);
    CHECK(part.stop.high == whole.plan.stop.high);
    CHECK(part.stop.high == Approx(whole.bandwidth()));
  }
}

TEST_CASE("the walls that a rank holds grow with its slab, and are as predicted") {
  const Scene scene = box({40, 40, 400}, mixed);
  const Stencil& stencil = *find_stencil("leggy-1");
  const auto bytes = [](const Plan& plan) { return plan.near_wall.bytes() + plan.boundary.bytes(); };
  const std::int64_t whole = bytes(make_plan(scene, stencil).plan);
  for (const int ranks : {2, 8}) {
    std::int64_t all = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const PlanResult planned = make_plan(scene, stencil, rank_of(rank, ranks));
      const Slab& slab = planned.part->own.slab;
      const std::int64_t mine = bytes(planned.part->own.plan);
      all += mine;
      CHECK(mine < 2 * whole / ranks);
      CHECK(planned.host[static_cast<std::size_t>(rank)] > mine);
      // While it is planned: the slab and a few planes.
      const auto [begin, end] = planes_about(planned.plan, slab.first_plane(), slab.end_plane());
      const RoomPlanes about = box_planes(planned.plan, scene.room.walls, slab.first_plane(), slab.end_plane());
      CHECK(about.begin >= begin);
      CHECK(about.air.size()[2] <= end - begin);
      CHECK(end - begin < slab.planes() + 20);
    }
    CHECK(static_cast<double>(all) < 1.3 * static_cast<double>(whole));
  }
  const PlanResult reported = make_plan(scene, stencil, rank_of(-1, 8));
  CHECK_FALSE(reported.part);
  CHECK(reported.host.size() == 8);
  CHECK(make_plan(scene, stencil, rank_of(-1, 2)).host[0] - reported.host[3] > whole / 4);
}
