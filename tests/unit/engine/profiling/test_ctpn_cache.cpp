#include "engine/profiling/ctpn_cache.hpp"

#include <fstream>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

CtpnSource counted(int& measured, const std::string& machine = "m") {
  return {"ctpn.json", machine,
          [&measured](const Stencil& stencil, Precision) {
            ++measured;
            return stencil.point_count() * 0.01;
          },
          [](const Stencil&) { return 1.0; }};
}

}  // namespace

TEST_CASE("CTPN is measured once a member, precision and machine") {
  const TemporaryFolder folder;
  const Stencil &leggy = *find_stencil("leggy-4"), &optimal = *find_stencil("leggy-4/opt1");
  int measured = 0;
  {
    CtpnCache cache(counted(measured), folder.path());
    CHECK(cache.ctpn_ns(leggy, Precision::f32) == 0.25);
    CHECK(cache.ctpn_ns(optimal, Precision::f32) == 0.25);
    CHECK(measured == 1);
    CHECK(cache.ctpn_ns(leggy, Precision::f64) == 0.25);
    CHECK(measured == 2);
  }
  CtpnCache again(counted(measured), folder.path());
  CHECK(again.ctpn_ns(leggy, Precision::f64) == 0.25);
  CHECK(measured == 2);
  CHECK(again.remark().empty());
  CtpnCache other(counted(measured, "another"), folder.path());
  CHECK(other.ctpn_ns(leggy, Precision::f64) == 0.25);
  CHECK(measured == 3);
  CHECK_THAT(other.remark(), Contains("of another machine"));
}

TEST_CASE("a damaged cache of CTPN is reported and measured anew") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "ctpn.json") << "{\"machine\": ";
  int measured = 0;
  CtpnCache cache(counted(measured), folder.path());
  CHECK_THAT(cache.remark(), Contains("damaged"));
  CHECK(cache.ctpn_ns(*find_stencil("leggy-1"), Precision::f32) == 0.07);
  CHECK(measured == 1);
}

}  // namespace fdtd::test
