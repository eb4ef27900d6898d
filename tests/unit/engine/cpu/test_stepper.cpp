#include "engine/cpu/stepper.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;

TEST_CASE("every order of tiles gives the bytes of single steps, over several passes and an incomplete one") {
  std::mt19937 random(11);
  struct Room {
    const char* stencil;
    std::array<int, 3> size;
    double air = 0.98;
  };
  // Long legs process rows of 301 nodes in several pieces; in rooms without obstacles calls have several layers.
  for (const auto& [stencil, size, air] :
       {Room{"leggy-1", {43, 59, 37}}, Room{"leggy-4", {43, 59, 37}}, Room{"leggy-8", {43, 59, 37}},
        Room{"compact-3", {43, 59, 37}}, Room{"leggy-5", {301, 21, 19}}, Room{"leggy-8", {301, 21, 19}},
        Room{"leggy-8", {43, 59, 37}, 1.0}, Room{"leggy-12", {43, 59, 37}, 1.0}, Room{"box-222", {43, 59, 37}, 1.0}}) {
    RoomSpec spec;
    spec.size = size;
    spec.stencil = stencil;
    spec.precision = Precision::f32;
    if (air < 1.0) spec.air = random_mask(spec.size, air, random);
    spec.laws = some_laws();
    Plan plan = plan_of(spec);
    plan.sources.push_back(random_tap(plan, 30, random, "s"));
    plan.receivers.push_back(random_tap(plan, 30, random, "r"));
    const State start = random_state(plan, random);
    const Drive drive = random_drive(plan, 29, random);
    State single;
    Samples expected;
    for (const int threads : {1, 3}) {
      for (const TileOrder& order :
           {TileOrder{1, 100, 1}, TileOrder{1, 2, 4}, TileOrder{1, 3, 2, 16}, TileOrder{1, 2, 1, 128},
            TileOrder{1, 3, 2, 0, true}, TileOrder{2, 1, 1}, TileOrder{3, 2, 1}, TileOrder{4, 4, 2},
            TileOrder{4, 2, 1, 0, true}, TileOrder{3, 4, 2, 0, true}, TileOrder{8, 2, 1}}) {
        CAPTURE(stencil, air, threads, to_string(order), order.layers);
        Stepper<float> stepper(plan, whole(plan), choose_kernel(""), threads, nullptr);
        stepper.set_tile_order(order);
        stepper.restore(start);
        State state;
        Samples samples;
        stepper.advance(drive, samples);
        stepper.save(state);
        if (single.u_now.empty()) {
          single = state;
          expected = samples;
        }
        CHECK((state.u_now == single.u_now));
        CHECK((state.u_before == single.u_before));
        CHECK((state.branches.V == single.branches.V));
        CHECK((state.branches.G == single.branches.G));
        CHECK((state.injected == single.injected));
        CHECK((state.dissipated == single.dissipated));
        CHECK((samples.p == expected.p));
      }
    }
  }
}

TEST_CASE("many receivers, on one node or several, record the field in every order of tiles") {
  std::mt19937 random(12);
  RoomSpec spec;
  spec.size = {17, 15, 13};
  spec.precision = Precision::f32;
  spec.air = random_mask(spec.size, 0.9, random);
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  plan.sources.push_back(random_tap(plan, 30, random, "s"));
  std::vector<std::size_t> nodes = air_nodes(plan);
  REQUIRE(nodes.size() > 2000);
  std::shuffle(nodes.begin(), nodes.end(), random);
  for (const std::size_t node : nodes) plan.receivers.push_back({"r", {}, {node}, {1.0}, {}});
  plan.receivers.push_back(random_tap(plan, 30, random, "several"));
  const State start = random_state(plan, random);
  const Drive drive = random_drive(plan, 37, random);  // no multiple of the steps that are sampled together
  for (const int threads : {1, 3})
    for (const TileOrder& order : {TileOrder{1, 100, 1}, TileOrder{3, 2, 1}}) {
      CAPTURE(threads, to_string(order));
      Stepper<float> stepper(plan, whole(plan), choose_kernel(""), threads, nullptr);
      stepper.set_tile_order(order);
      stepper.restore(start);
      Samples samples;
      State state;
      stepper.advance(drive, samples);
      for (int last : {0, 1}) {  // u^n and u^{n-1}
        stepper.save(state);
        const std::vector<double> u = values_of(last == 0 ? state.u_now : state.u_before, Precision::f32);
        std::size_t wrong = 0;
        for (std::size_t r = 0; r < nodes.size(); ++r)
          if (samples.p[r * 37 + 36 - static_cast<std::size_t>(last)] != u[nodes[r]]) ++wrong;
        CHECK(wrong == 0);
        double sum = 0.0;
        for (std::size_t i = 0; i < 30; ++i)
          sum += plan.receivers.back().weights[i] * u[plan.receivers.back().nodes[i]];
        CHECK(samples.p[nodes.size() * 37 + 36 - static_cast<std::size_t>(last)] == Approx(sum).margin(1e-12));
      }
      Samples pieces;
      std::vector<double> joined(samples.p.size());
      stepper.restore(start);
      for (std::size_t first = 0; first < 37; first += static_cast<std::size_t>(pieces.steps)) {
        Drive part;
        part.steps = std::min<std::int64_t>(21, 37 - static_cast<std::int64_t>(first));
        part.f.assign(drive.f.begin() + static_cast<std::ptrdiff_t>(first),
                      drive.f.begin() + static_cast<std::ptrdiff_t>(first) + part.steps);
        stepper.advance(part, pieces);
        const auto steps = static_cast<std::size_t>(pieces.steps);
        for (std::size_t r = 0; r < plan.receivers.size(); ++r)
          std::copy_n(pieces.p.begin() + static_cast<std::ptrdiff_t>(r * steps), steps,
                      joined.begin() + static_cast<std::ptrdiff_t>(r * 37 + first));
      }
      CHECK((joined == samples.p));
    }
}
