#include "base/error.hpp"
#include "engine/backend/backend.hpp"
#include "engine/cpu/field/row_stencil.hpp"
#include "engine/cpu/make_backend.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

Plan box(Precision precision = Precision::f32) {
  RoomSpec spec;
  spec.size = {20, 12, 10};
  spec.precision = precision;
  return plan_of(spec);
}

template <class Function>
Status status_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.status;
  }
  return Status::done;
}

}  // namespace

TEST_CASE("the CPU backend describes threads, instruction set and kernel") {
  const auto backend = make_cpu_backend({3, "rows/baseline"});
  const Plan plan = box();
  backend->load(plan, whole(plan));
  CHECK(backend->describe() == "cpu, 3 threads, baseline, kernel rows, blocks of 4 rows");
}

TEST_CASE("an unknown kernel, and a slab with neighbours, are refused") {
  const Plan plan = box();
  CHECK(status_of([&] { make_cpu_backend({1, "magic"})->load(plan, whole(plan)); }) == Status::resource);
  CHECK(status_of([&] { make_cpu_backend()->load(plan, {0, 5, false, true}); }) == Status::resource);
  CHECK(status_of([&] { make_cpu_backend({-1, ""}); }) == Status::resource);
  CHECK(status_of([&] { make_cpu_backend()->energy(); }) == Status::resource);
}

TEST_CASE("a state of another precision or size is refused") {
  const Plan single = box(Precision::f32), twice = box(Precision::f64);
  State state;
  const auto backend = make_cpu_backend({1, ""});
  backend->load(single, whole(single));
  backend->save(state);
  const auto other = make_cpu_backend({1, ""});
  other->load(twice, whole(twice));
  CHECK(status_of([&] { other->restore(state); }) == Status::file);
  state.u_now.pop_back();
  CHECK(status_of([&] { backend->restore(state); }) == Status::file);
}

TEST_CASE("profile times steps and the triad") {
  const Plan plan = box();
  const auto backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(3);
  CHECK(timing.seconds_per_step > 0.0);
  CHECK(timing.ctpn_ns == Approx(timing.seconds_per_step * 1e9 / 2400.0));
  CHECK(timing.triad_ctpn_ns > 0.0);
  CHECK(timing.declared_bytes == 12.0);
}

TEST_CASE("the predicted memory holds both fields") {
  const Plan plan = box(Precision::f64);
  CHECK(cpu_state_bytes(plan) > 2 * plan.grid.nodes() * 8);
  CHECK(cpu_state_bytes(plan) < 10 * plan.grid.nodes() * 8);
}

TEST_CASE("extreme finds the largest value and the first that is not finite") {
  const Plan plan = box(Precision::f64);
  std::vector<double> u(static_cast<std::size_t>(plan.grid.nodes()), 0.0);
  u[777] = -3.0;
  u[1234] = 2.0;
  const std::vector<double> zeros(u.size(), 0.0);
  for (const bool reference : {false, true}) {
    const auto backend = reference ? make_reference_backend() : make_cpu_backend({1, ""});
    backend->load(plan, whole(plan));
    backend->restore({Precision::f64, 5, bytes_of(u), bytes_of(zeros), {}, {}, {}, {}});
    CHECK(backend->step() == 5);
    CHECK(backend->extreme().node == 777);
    CHECK(backend->extreme().value == 3.0);
    u[900] = std::nan("");
    backend->restore({Precision::f64, 0, bytes_of(u), bytes_of(zeros), {}, {}, {}, {}});
    CHECK(backend->extreme().node == 900);
    u[900] = 0.0;
  }
}

TEST_CASE("a stencil's rows are shared: images in y and z are added once") {
  RoomSpec spec;
  spec.stencil = "leggy-3";
  Plan plan = plan_of(spec);
  const cpu::Layout layout(plan.grid.size, 3, 4);
  CHECK(cpu::RowStencilStore<float>(plan.stencil, layout).view().legs == 3);
  const Stencil* box222 = find_stencil("box-222");
  REQUIRE(box222 != nullptr);
  const GridStencil grid = on_grid(*box222, {box222->courant, box222->courant, box222->courant});
  const cpu::RowStencilStore<float> store(grid, cpu::Layout(plan.grid.size, 2, 4));
  CHECK(store.view().legs == 0);
  CHECK(store.view().classes == 6);  // (0,0) (1,0) (1,1) (2,0) (2,1) (2,2)
  CHECK(store.view().classed[store.view().classes - 1].row_end == 25);
}
