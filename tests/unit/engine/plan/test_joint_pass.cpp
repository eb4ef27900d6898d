#include "engine/plan/joint_pass.hpp"

#include "engine/plan/plan.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

JointPass pass_from(std::size_t first) {
  JointPass pass;
  pass.parts = {first, 0.5};
  pass.zero = 0.5;
  pass.pole = 0.9;
  return pass;
}

}  // namespace

TEST_CASE("sources of a joint pass count as one pass") {
  Plan plan;
  plan.sources.resize(6);
  CHECK(pass_count(plan) == 6);
  plan.joint = {pass_from(1), pass_from(4)};
  CHECK(pass_count(plan) == 4);
  const std::vector<std::size_t> before = {0, 1, 2, 2, 3, 4};
  for (std::size_t s = 0; s < 6; ++s) {
    CHECK(joins(plan, s) == (s == 2 || s == 5));
    CHECK((joint_pass_of(plan, s) != nullptr) == (s == 1 || s == 4));
    if (!joins(plan, s)) CHECK(passes_before(plan, s) == before[s]);
  }
}

TEST_CASE("sixteen harmonics of a measured source count as one pass between others") {
  Plan plan;
  plan.sources.resize(19);
  plan.joint = {pass_from(1)};
  plan.joint[0].parts.count = 16;
  CHECK(pass_count(plan) == 4);
  CHECK(passes_before(plan, 1) == 1);
  CHECK(passes_before(plan, 17) == 2);
  for (std::size_t s = 0; s < 19; ++s) CHECK(joins(plan, s) == (s > 1 && s < 17));
}

TEST_CASE("the signal of a joint pass is undone to a unit sample, up to the last sample recorded") {
  const JointPass pass = pass_from(0);
  // (1 - 0.9/z) / (1 - 0.5/z), two samples late.
  std::vector<double> record(12, 0.0);
  double sent = 1.0;
  for (std::size_t n = 2; n < 12; ++n, sent = (n == 3 ? 0.5 - 0.9 : 0.5 * sent)) record[n] = sent;
  std::vector<double> whole = record, part = record;
  undo_signals(pass, whole, 11);
  undo_signals(pass, part, 7);
  for (std::size_t n = 0; n < 12; ++n) {
    CHECK(whole[n] == Approx(n == 2 ? 1.0 : 0.0).margin(1e-15));
    if (n <= 7) CHECK(part[n] == whole[n]);
  }
  CHECK(part[9] == record[9]);  // not of this pass
}
