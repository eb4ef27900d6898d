#include "engine/notches/facet_mirror.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// A regular polygon of many corners about the z axis at z = 0, to the left of its edges.
std::vector<FreePiece> disc(double radius) {
  constexpr int corners = 720;
  std::vector<FreePiece> edges;
  const auto corner = [&](int i) {
    const double turn = 2.0 * std::numbers::pi * i / corners;
    return Point{radius * std::cos(turn), radius * std::sin(turn), 0.0};
  };
  for (int i = 0; i < corners; ++i) edges.push_back({corner(i), corner(i + 1)});
  return edges;
}

}  // namespace

TEST_CASE("a facet without free edges reflects as its plane") {
  CHECK(FacetMirror({}, {0, 0, -1}, {0, 0, 1})(5.0) == std::complex<double>(1.0));
}

TEST_CASE("a disc reflects on its axis as Kirchhoff's integral has it in closed form") {
  const double h = 0.7;
  for (const double radius : {0.2, 0.5, 3.0}) {
    const FacetMirror mirror(disc(radius), {0, 0, -h}, {0, 0, h});
    const double leg = std::hypot(h, radius);
    for (const double k : {0.01, 1.0, 7.0, 30.0}) {
      const std::complex<double> exact = 1.0 - h * h / (leg * leg) * std::polar(1.0, -2.0 * k * (leg - h));
      CHECK(std::abs(mirror(k) - exact) < 1e-4);
    }
  }
}

TEST_CASE("half of a plane reflects half of the sound at its edge, and all of it far from there") {
  const auto at = [](double x) {  // m from an edge that is long
    return FacetMirror({{{0, 300, 0}, {0, -300, 0}}}, {x, 0, -1.0}, {x, 0, 1.0})(20.0);
  };
  CHECK(std::abs(at(1e-5) - 0.5) < 0.01);
  CHECK(std::abs(at(40.0) - 1.0) < 0.03);
  CHECK(std::abs(at(-40.0) - 1.0) < 0.03);  // the reflected segment misses: the edge's wave alone is added
}
