#include "engine/rays/trace.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/rays/ray_count.hpp"
#include "engine/rays/snub_cube.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/energy_images.hpp"

namespace fdtd {
namespace {

using test::image_energy;
using Sides = std::array<double, 3>;

constexpr double speed = 343.2;
constexpr Sides small_box = {4.2, 3.3, 2.6};
constexpr std::array<std::uint16_t, 6> own_walls = {0, 1, 2, 3, 4, 5};

// Walls of real admittances, the same over the octave.
RayOctave octave_of(const FacetRoom& room, const std::vector<double>& admittance, double scattering,
                    double kept = 1.0) {
  RayOctave octave;
  octave.centre = 1000.0;
  for (const double y : admittance) {
    WallOctave wall;
    wall.admittance.fill(y);
    wall.kept_when_scattered = kept;
    octave.walls.push_back(wall);
  }
  octave.scattering.assign(room.facets.size(), scattering);
  return octave;
}

RaySettings settings_of(std::int64_t rays, double duration, double bin = 1e-3) {
  RaySettings settings;
  settings.rays = rays;
  settings.duration = duration;
  settings.bin = bin;
  settings.sound_speed = speed;
  settings.image_order = -1;
  return settings;
}

RayEnergies trace(const FacetRoom& room, const RayOctave& octave, const Point& source,
                  const std::vector<RayReceiver>& receivers, const RaySettings& settings) {
  return trace_rays(room, std::span(&octave, 1), source, {}, receivers, settings);
}

// Of one octave, both halves, by bin.
std::vector<double> histogram(const RayEnergies& energies, std::size_t receiver, std::size_t receivers) {
  std::vector<double> sum(energies.bins);
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t b = 0; b < energies.bins; ++b)
      sum[b] += energies.energy[(half * receivers + receiver) * energies.bins + b];
  return sum;
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double decibels(double ratio) { return 10.0 * std::log10(ratio); }

// From -5 dB to -5 - `range` dB of the decay curve, in bins for 60 dB.
double reverberation(const std::vector<double>& energy, double range) {
  std::vector<double> level(energy.size());
  double sum = 0.0;
  for (std::size_t b = energy.size(); b-- > 0;) level[b] = decibels((sum += energy[b]) + 1e-300);
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t b = 0; b < level.size(); ++b) {
    const double l = level[b] - level[0], t = static_cast<double>(b);
    if (l > -5.0 || l < -5.0 - range) continue;
    n += 1.0;
    x += t;
    y += l;
    xx += t * t;
    xy += t * l;
  }
  return -60.0 * (n * xx - x * x) / (n * xy - x * y);
}

}  // namespace

TEST_CASE("rays have the energy of image sources in a smooth box, rigid and absorbing") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  const Point source = {0.93, 0.87, 1.45};
  const std::vector<RayReceiver> receivers = {{{3.31, 2.39, 1.21}, 0.3, false}, {{2.05, 0.71, 0.93}, 0.3, false}};
  for (const std::vector<double>& y : {std::vector<double>(6, 0.0), {0.02, 0.1, 0.05, 0.01, 0.03, 0.3}}) {
    const RayEnergies rays = trace(room, octave_of(room, y, 0.0), source, receivers, settings_of(40000, 0.2));
    for (std::size_t r = 0; r < 2; ++r) {
      const double exact = image_energy(small_box, source, receivers[r].position, y, 0.2 * speed);
      CHECK(std::abs(decibels(total(histogram(rays, r, 2)) / exact)) < 0.05);
    }
    CHECK(rays.lost == 0);
  }
}

TEST_CASE("specular paths up to the order of images are left out of rays, and nothing else is") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  const Point source = {0.93, 0.87, 1.45};
  const std::vector<RayReceiver> receivers = {{{3.31, 2.39, 1.21}, 0.3, false}};
  const std::vector<double> y(6, 0.05);
  const auto energy = [&](int order, double scattering) {
    RaySettings settings = settings_of(60000, 0.06);
    settings.image_order = order;
    return total(histogram(trace(room, octave_of(room, y, scattering, 0.7), source, receivers, settings), 0, 1));
  };
  const double all = energy(-1, 0.0);
  for (const int order : {0, 1, 3}) {
    const double images = image_energy(small_box, source, receivers[0].position, y, 0.06 * speed, order);
    CHECK((all - energy(order, 0.0)) / images == Approx(1.0).epsilon(0.03));
  }
  // Rays that scattered once are not images, whatever their order: with s = 1 only direct sound is.
  const double direct = image_energy(small_box, source, receivers[0].position, y, 0.06 * speed, 0);
  CHECK((energy(-1, 1.0) - energy(5, 1.0)) / direct == Approx(1.0).epsilon(0.03));
}

TEST_CASE("a cube of Lambert walls decays by Kuttruff's formula and has the level of diffuse sound") {
  const FacetRoom room = facets_of_box({5.0, 5.0, 5.0}, {});
  std::vector<RayReceiver> receivers;
  for (unsigned i = 0; i < 8; ++i)
    receivers.push_back(
        {{(i & 1U) != 0 ? 3.2 : 3.6, (i & 2U) != 0 ? 2.7 : 3.1, (i & 4U) != 0 ? 2.9 : 3.3}, 0.5, false});
  const Point source = {1.2, 1.7, 2.1};
  // 300000 rays are 0.06 and 0.29 dB from diffuse theory at these places.
  for (const auto& [alpha, bound, level] : {std::array{0.1, 0.02, 0.2}, std::array{0.5, 0.03, 0.4}}) {
    const double kept = std::log(1.0 - alpha),
                 kuttruff = 24.0 * std::log(10.0) / speed * 125.0 / (-150.0 * kept * (1.0 + 0.171 * kept));
    RaySettings settings = settings_of(20000, 1.1 * kuttruff);
    settings.image_order = 0;  // the level of reverberant sound
    const RayEnergies rays = trace(room, octave_of(room, {0.0}, 1.0, 1.0 - alpha), source, receivers, settings);
    std::vector<double> mean(rays.bins);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const std::vector<double> one = histogram(rays, r, receivers.size());
      for (std::size_t b = 0; b < mean.size(); ++b) mean[b] += one[b] / static_cast<double>(receivers.size());
    }
    CHECK(reverberation(mean, 30.0) * settings.bin == Approx(kuttruff).epsilon(bound));
    CHECK(std::abs(decibels(total(mean) / (16.0 * std::numbers::pi * (1.0 - alpha) / (150.0 * alpha)))) < level);
  }
}

TEST_CASE("source and receiver may be exchanged, whatever scatters") {
  const FacetRoom room = facets_of_box(small_box, {0, 0, 0, 0, 1, 2});
  RayOctave octave = octave_of(room, {0.03, 0.01, 0.2}, 0.0);
  octave.walls[0].kept_when_scattered = 0.8;
  octave.walls[1].kept_when_scattered = 0.93;
  octave.walls[2].kept_when_scattered = 0.45;
  octave.scattering = {0.1, 0.5, 0.0, 0.2, 0.05, 0.9};
  const Point a = {0.7, 0.8, 1.9}, b = {3.3, 2.2, 0.6};
  const RaySettings settings = settings_of(100000, 0.5);
  const std::vector<double> to = histogram(trace(room, octave, a, {{b, 0.3, false}}, settings), 0, 1),
                            back = histogram(trace(room, octave, b, {{a, 0.3, false}}, settings), 0, 1);
  CHECK(std::abs(decibels(total(to) / total(back))) < 0.1);
  CHECK(reverberation(to, 20.0) / reverberation(back, 20.0) == Approx(1.0).epsilon(0.06));
}

TEST_CASE("walls cut the spheres of receivers") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  const Point source = {0.93, 0.87, 1.45}, near_wall = {2.9, 2.1, 0.05}, in_corner = {4.15, 3.25, 2.55};
  const std::vector<double> y(6, 0.05);
  const RayEnergies rays = trace(room, octave_of(room, y, 0.0), source,
                                 {{near_wall, 0.25, false}, {in_corner, 0.25, false}}, settings_of(40000, 0.2));
  const std::array<Point, 2> places = {near_wall, in_corner};
  for (std::size_t r = 0; r < 2; ++r)
    CHECK(std::abs(decibels(total(histogram(rays, r, 2)) /
                            image_energy(small_box, source, places[r], y, 0.2 * speed))) < 0.3);
}

TEST_CASE("no sound passes a wall within a receiver's sphere") {
  // Two rooms of one box, and a sheet between them.
  Mesh mesh;
  mesh.materials = {"wall"};
  for (const double x : {0.0, 2.0, 4.0}) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {{x, 0.0, 0.0}, {x, 3.0, 0.0}, {x, 3.0, 2.5}, {x, 0.0, 2.5}});
    mesh.triangles.push_back({first, first + 1, first + 2});
    mesh.triangles.push_back({first, first + 2, first + 3});
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t j = (i + 1) % 4;
    mesh.triangles.push_back({i, j, 8 + j});
    mesh.triangles.push_back({i, 8 + j, 8 + i});
  }
  mesh.material.assign(mesh.triangles.size(), 0);
  const FacetRoom room = facets_of_mesh(mesh, {0}, 15.0);
  REQUIRE(room.facets.size() == 7);
  const RayEnergies rays =
      trace(room, octave_of(room, {0.02}, 0.3, 0.9), {0.5, 1.0, 1.0},
            {{{1.95, 1.5, 1.2}, 0.2, false}, {{2.05, 1.5, 1.2}, 0.2, false}}, settings_of(4000, 0.1));
  CHECK(total(histogram(rays, 0, 2)) > 0.5);
  CHECK(total(histogram(rays, 1, 2)) == 0.0);
}

TEST_CASE("histograms by direction have the sound of each direction, and all of it") {
  const FacetRoom room = facets_of_box({6.0, 5.0, 4.0}, {});
  const Point source = {1.0, 1.2, 1.1}, place = {4.1, 3.3, 2.4};
  RayOctave octave = octave_of(room, {0.02}, 0.9, 0.93);
  octave.air.fill(0.05);
  const std::vector<RayReceiver> receivers = {{{2.0, 2.0, 2.0}, 0.2, false}, {place, 0.5, true}};
  const RayEnergies rays = trace(room, octave, source, receivers, settings_of(20000, 0.4));
  const double r = std::sqrt(3.1 * 3.1 + 2.1 * 2.1 + 1.3 * 1.3);
  const std::size_t towards = nearest_vertex({-3.1 / r, -2.1 / r, -1.3 / r});
  const auto direct = static_cast<std::size_t>(r / speed / 1e-3);
  std::vector<double> late(24);
  const std::vector<double> all = histogram(rays, 1, 2);
  double early = 0.0, elsewhere = 0.0;
  for (std::size_t b = 0; b < rays.bins; ++b) {
    double sum = 0.0;
    for (std::size_t d = 0; d < 24; ++d) {
      const double energy = rays.directions[b * 24 + d];
      sum += energy;
      if (b <= direct + 1) (d == towards ? early : elsewhere) += energy;
      if (b > 80) late[d] += energy;
    }
    CHECK(sum == Approx(all[b]).epsilon(1e-12).margin(1e-300));
  }
  CHECK(early == Approx(std::exp(-0.05 * r) / (r * r)).epsilon(0.05));
  CHECK(elsewhere < 0.02 * early);  // the edge of the cell
  const double mean = total(late) / 24.0;
  for (const double one : late) CHECK(one == Approx(mean).epsilon(0.35));
}

TEST_CASE("air attenuates an octave by the mean of its five points") {
  const FacetRoom room = facets_of_box({20.0, 20.0, 20.0}, {});
  RayOctave octave = octave_of(room, {0.0}, 0.0);
  octave.air = {0.01, 0.02, 0.04, 0.06, 0.09};
  const RayEnergies rays =
      trace(room, octave, {4.0, 10.0, 10.0}, {{{12.0, 10.0, 10.0}, 0.5, false}}, settings_of(100000, 0.026));
  double expected = 0.0;
  for (const double m : octave.air) expected += std::exp(-m * 8.0) / 5.0 / 64.0;
  CHECK(total(histogram(rays, 0, 1)) == Approx(expected).epsilon(0.02));
}

TEST_CASE("a source's pattern weighs rays by its square") {
  const FacetRoom room = facets_of_box({20.0, 20.0, 20.0}, {});
  const RayOctave octave = octave_of(room, {0.0}, 0.0);
  const std::vector<RayReceiver> receivers = {
      {{12.0, 10.0, 10.0}, 0.5, false}, {{8.0, 10.0, 10.0}, 0.5, false}, {{10.0, 12.0, 10.0}, 0.5, false}};
  const RayEnergies rays = trace_rays(
      room, std::span(&octave, 1), {10.0, 10.0, 10.0}, [](const Point& d, std::size_t) { return 0.5 + 0.5 * d[0]; },
      receivers, settings_of(50000, 0.01));
  CHECK(total(histogram(rays, 0, 3)) == Approx(0.25).epsilon(0.03));
  CHECK(total(histogram(rays, 1, 3)) < 0.001);
  CHECK(total(histogram(rays, 2, 3)) == Approx(0.0625).epsilon(0.03));
}

TEST_CASE("rays that leave a room are counted, with a place") {
  Mesh mesh;
  mesh.materials = {"wall"};
  mesh.vertices = {{0, 0, 0}, {4, 0, 0}, {0, 3, 0}, {0, 0, 2}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}};  // the slanted side lacks
  mesh.material.assign(3, 0);
  const FacetRoom room = facets_of_mesh(mesh, {0}, 4.0);
  const RayEnergies rays = trace(room, octave_of(room, {0.0}, 0.0), {0.3, 0.3, 0.3}, {{{0.6, 0.5, 0.4}, 0.1, false}},
                                 settings_of(1000, 0.1));
  CHECK(rays.lost == 1000);  // mirrors at right angles
  CHECK(rays.hits > 500);
  CHECK(rays.first_lost[0] / 4.0 + rays.first_lost[1] / 3.0 + rays.first_lost[2] / 2.0 <= 1.0 + 1e-12);
  CHECK(total(histogram(rays, 0, 1)) > 0.0);
}

TEST_CASE("energies have the same bytes for any number of threads, and on every processor") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  std::vector<RayOctave> octaves;
  for (const double s : {0.0, 0.01, 0.3, 0.31, 0.9}) {
    octaves.push_back(octave_of(room, {0.02, 0.1, 0.05, 0.01, 0.03, 0.3}, s, 0.8));
    octaves.back().air = {0.001, 0.002, 0.003, 0.005, 0.01};
  }
  std::vector<RayReceiver> receivers;
  for (std::size_t i = 0; i < 25; ++i)
    receivers.push_back(
        {{0.4 + 0.13 * static_cast<double>(i), 0.25 + 0.1 * static_cast<double>(i), 1.3}, 0.3, i % 5 == 2});
  RaySettings settings = settings_of(3000, 0.15);
  settings.image_order = 2;
  settings.seed = 7;
  const int before = omp_get_max_threads();
  std::vector<RayEnergies> made;
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    made.push_back(trace_rays(room, octaves, {0.93, 0.87, 1.45}, {}, receivers, settings));
  }
  omp_set_num_threads(before);
  for (const std::size_t other : {1U, 2U}) {
    CHECK(made[0].energy == made[other].energy);
    CHECK(made[0].directions == made[other].directions);
    CHECK(made[0].hits == made[other].hits);
  }
  // As computed by GCC 12 for x86-64; the bytes of other compilers and processors must not differ.
  std::uint64_t hash = 14695981039346656037U;
  for (const double energy : made[0].energy) hash = (hash ^ std::bit_cast<std::uint64_t>(energy)) * 1099511628211U;
  CHECK(hash == 11380138129898425799U);
  // The spheres of many receivers are met as those of few.
  const std::vector<RayReceiver> few(receivers.begin() + 3, receivers.begin() + 12);
  const RayEnergies fewer = trace_rays(room, octaves, {0.93, 0.87, 1.45}, {}, few, settings);
  const std::size_t each = octaves.size() * fewer.bins;
  for (std::size_t half = 0; half < 2; ++half)
    CHECK(std::equal(fewer.energy.begin() + static_cast<std::ptrdiff_t>(half * 9 * each),
                     fewer.energy.begin() + static_cast<std::ptrdiff_t>((half + 1) * 9 * each),
                     made[0].energy.begin() + static_cast<std::ptrdiff_t>((half * 25 + 3) * each)));
  // Another seed has other energies, and another source's number.
  settings.seed = 8;
  CHECK(trace_rays(room, octaves, {0.93, 0.87, 1.45}, {}, few, settings).energy != fewer.energy);
  settings.seed = 7;
  settings.source = 1;
  CHECK(trace_rays(room, octaves, {0.93, 0.87, 1.45}, {}, few, settings).energy != fewer.energy);
}

TEST_CASE("rays traced in parts have the bytes of all at once") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  const std::vector<RayOctave> octaves = {octave_of(room, {0.02, 0.1, 0.05, 0.01, 0.03, 0.3}, 0.1, 0.8),
                                          octave_of(room, {0.02, 0.1, 0.05, 0.01, 0.03, 0.3}, 0.4, 0.7)};
  const std::vector<RayReceiver> receivers = {{{3.31, 2.39, 1.21}, 0.3, true, 0.6}};
  const Point source = {0.93, 0.87, 1.45};
  const RaySettings settings = settings_of(2100, 0.2);
  const RayEnergies whole = trace_rays(room, octaves, source, {}, receivers, settings);
  const RayReceivers balls(room, receivers);
  const RayEmission everywhere;
  RayTracer tracer(room, octaves, source, everywhere, balls, settings);
  for (const std::int64_t rays : {100, 700, 2100}) tracer.trace_to(rays);
  CHECK(tracer.rays() == 2100);
  CHECK_FALSE(tracer.silent());
  const RayEnergies parts = std::move(tracer).energies();
  CHECK(parts.energy == whole.energy);
  CHECK(parts.directions == whole.directions);
  CHECK(parts.hits == whole.hits);
}

TEST_CASE("no ray is traced where image sources have all sound") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  RaySettings settings = settings_of(500, 0.1);
  const std::vector<RayReceiver> receivers = {{{3.31, 2.39, 1.21}, 0.3, false}};
  const auto traced = [&](double scattering) {
    return trace(room, octave_of(room, std::vector<double>(6, 0.05), scattering), {0.93, 0.87, 1.45}, receivers,
                 settings);
  };
  settings.image_reach = 0.1 * speed;
  CHECK(traced(0.0).hits == 0);
  CHECK(traced(0.1).hits > 0);
  settings.image_reach = 0.09 * speed;
  CHECK(traced(0.0).hits > 0);
}

TEST_CASE("late sound in a larger sphere has the energy of that in a small one, with less chance") {
  const FacetRoom room = facets_of_box(small_box, own_walls);
  const RayOctave octave = octave_of(room, std::vector<double>(6, 0.02), 0.3, 0.93);
  const Point source = {0.93, 0.87, 1.45}, place = {3.31, 2.39, 0.5};  // the floor cuts the larger sphere
  RaySettings settings = settings_of(20000, 0.3);
  std::vector<double> late;
  std::array<double, 2> chance{};
  for (const double radius : {0.3, 0.6}) {
    const RayEnergies rays = trace(room, octave, source, {{place, 0.3, false, radius}}, settings);
    const std::vector<double> all = histogram(rays, 0, 1);
    late.push_back(total({all.begin() + 80, all.end()}));
    double& spread = chance[radius > 0.5 ? 1 : 0];  // of 10 ms
    for (std::size_t b = 80; b < 280; b += 10) {
      double half[2] = {};
      for (std::size_t i = b; i < b + 10; ++i)
        for (std::size_t h = 0; h < 2; ++h) half[h] += rays.energy[h * rays.bins + i];
      spread += std::pow((half[0] - half[1]) / (half[0] + half[1]), 2.0);
    }
  }
  CHECK(std::abs(decibels(late[1] / late[0])) < 0.15);
  CHECK(chance[1] < 0.5 * chance[0]);
  // Sound before is that of the small sphere, to the byte.
  settings.duration = 0.08;
  CHECK(trace(room, octave, source, {{place, 0.3, false, 0.6}}, settings).energy ==
        trace(room, octave, source, {{place, 0.3, false}}, settings).energy);
}

TEST_CASE("octaves share rays where they scatter alike on nearly all of the area") {
  const FacetRoom room = facets_of_box({10.0, 10.0, 0.5}, own_walls);  // 200 of 220 m2 are the floor and the ceiling
  const auto octave = [&](double floor, double side) {
    RayOctave one = octave_of(room, std::vector<double>(6, 0.0), floor);
    one.scattering[0] = side;
    return one;
  };
  using Groups = std::vector<std::vector<std::size_t>>;
  CHECK(shared_traces(room, std::vector{octave(0.1, 0.1), octave(0.119, 0.1), octave(0.11, 0.6)}) == Groups{{0, 1, 2}});
  CHECK(shared_traces(room, std::vector{octave(0.1, 0.1), octave(0.121, 0.1)}) == Groups{{0}, {1}});
  CHECK(shared_traces(room, std::vector{octave(0.3, 0.0), octave(0.31, 0.0), octave(0.325, 0.0), octave(0.34, 0.0)}) ==
        Groups{{0, 1}, {2, 3}});
  // An octave that shares rays has its own walls and air.
  std::vector<RayOctave> two = {octave_of(room, std::vector<double>(6, 0.02), 0.2, 0.9),
                                octave_of(room, std::vector<double>(6, 0.1), 0.2, 0.6)};
  two[1].air.fill(0.01);
  const std::vector<RayReceiver> receivers = {{{7.0, 6.0, 0.25}, 0.2, false}};
  RaySettings settings = settings_of(1000, 0.05);
  settings.floor = 0.0;  // a ray goes on as long as one of its octaves does
  const RayEnergies both = trace_rays(room, two, {2.0, 2.0, 0.25}, {}, receivers, settings);
  for (std::size_t o = 0; o < 2; ++o) {
    const RayEnergies alone = trace(room, two[o], {2.0, 2.0, 0.25}, receivers, settings);
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t b = 0; b < both.bins; ++b)
        CHECK(both.energy[(half * 2 + o) * both.bins + b] == alone.energy[half * both.bins + b]);
  }
}

TEST_CASE("bins spread over seeds as the formula says") {
  const FacetRoom room = facets_of_box(small_box, {});
  const RayOctave octave = octave_of(room, {0.0}, 0.3);  // all energies alike
  constexpr std::size_t seeds = 30;
  std::vector<std::vector<double>> made;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RaySettings settings = settings_of(2000, 0.12, 10e-3);
    settings.seed = seed;
    made.push_back(
        histogram(trace(room, octave, {0.93, 0.87, 1.45}, {{{3.31, 2.39, 1.21}, 0.3, false}}, settings), 0, 1));
  }
  double ratio = 0.0;  // of variances, mean over 50 to 120 ms
  const double formula = deviation(2000, room.volume, 0.3, speed, 10e-3);
  for (std::size_t b = 5; b < 12; ++b) {
    double mean = 0.0, square = 0.0;
    for (const auto& one : made) mean += one[b] / seeds;
    for (const auto& one : made) square += (one[b] - mean) * (one[b] - mean) / (seeds - 1);
    ratio += square / (mean * mean * formula * formula) / 7.0;
  }
  CHECK(std::sqrt(ratio) > 0.8);
  CHECK(std::sqrt(ratio) < 1.3);
}

}  // namespace fdtd
