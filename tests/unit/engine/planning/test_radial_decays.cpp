#include "engine/planning/radial_decays.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

MaterialFit of_admittance(const char* name, double admittance) {
  MaterialFit fit;
  fit.name = name;
  if (admittance > 0.0) fit.branches = {{0.0, 1.0 / admittance, 0.0}};
  return fit;
}

Room room_of(const std::array<std::string, 6>& walls) {
  Room room;
  room.box = {4.0, 3.0, 2.0};
  room.walls = walls;
  return room;
}

}  // namespace

TEST_CASE("the share of area beside edges counts edges between two walls with losses alone") {
  const std::vector<MaterialFit> fits = {of_admittance("soft", 0.1), of_admittance("stone", 0.0)};
  const Room all = room_of({"soft", "soft", "soft", "soft", "soft", "soft"});
  // Inside the strips of half a metre: 3 x 2, 3 x 1 and 2 x 1 of 4 x 3, 4 x 2 and 3 x 2 square metres.
  CHECK(edge_share(all, fits, 0.5) == Approx(1.0 - 11.0 / 26.0));
  CHECK(edge_share(all, fits, 5.0) == 1.0);
  const Room floor = room_of({"stone", "stone", "stone", "stone", "soft", "soft"});
  CHECK(edge_share(floor, fits, 0.5) == 0.0);
  const Room corner = room_of({"stone", "stone", "soft", "stone", "soft", "stone"});
  CHECK(edge_share(corner, fits, 0.5) == Approx((4.0 * 0.5 + 4.0 * 0.5) / (4.0 * 2.0 + 4.0 * 3.0)));
}

TEST_CASE("the error of decays with a radial map grows with the square of absorption and share") {
  const Room room = room_of({"soft", "soft", "soft", "soft", "soft", "soft"});
  const std::vector<MaterialFit> soft = {of_admittance("soft", 0.1)};
  const double alpha = random_incidence_absorption(0.1), share = edge_share(room, soft, 0.4);
  const double error = radial_decay_error(room, soft, 1000.0, 8, 0.05);
  CHECK(error == Approx(10.0 * share * share * alpha * alpha));
  CHECK(radial_decay_error(room, soft, 1000.0, 4, 0.05) < error);
  CHECK(radial_decay_error(room, {of_admittance("soft", 0.0)}, 1000.0, 8, 0.05) == 0.0);
}
