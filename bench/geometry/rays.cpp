// Rays: segments a second on one core in a furnished room whose triangles are divided, by the tree of triangles alone
// and in whole traces. The surfaces stay the same, and so do facets and ways of rays. Where CMake finds Embree
// (FDTD_EMBREE), the same ways by Embree too: a roof, which loses rays at edges. Build of a tree: seconds and bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <string>

#include "base/math/median.hpp"
#include "base/math/philox.hpp"
#include "bench/rows_document.hpp"
#include "engine/rays/trace.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"
#ifdef FDTD_EMBREE
#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#endif

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

constexpr int rays = 3000, reflections = 100;
constexpr Point source = {0.93, 0.87, 1.45};

double seconds() {  // of the processor: others may use the machine
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A quad as 2 n2 triangles.
void add_quad(Mesh& mesh, const std::array<Point, 4>& q, std::uint32_t n) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (std::uint32_t j = 0; j <= n; ++j)
    for (std::uint32_t i = 0; i <= n; ++i) {
      const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
      Point p;
      for (std::size_t d = 0; d < 3; ++d)
        p[d] = (1.0 - v) * ((1.0 - u) * q[0][d] + u * q[1][d]) + v * ((1.0 - u) * q[3][d] + u * q[2][d]);
      mesh.vertices.push_back(p);
    }
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = first + j * (n + 1) + i;
      mesh.triangles.push_back({a, a + 1, a + n + 2});
      mesh.triangles.push_back({a, a + n + 2, a + n + 1});
    }
  mesh.material.insert(mesh.material.end(), std::size_t{2} * n * n, 0);
}

void add_box(Mesh& mesh, const Point& low, const Point& high, std::uint32_t n) {
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2, u = (d + 1) % 3, v = (d + 2) % 3;
    std::array<Point, 4> quad;
    for (std::size_t i = 0; i < 4; ++i) {
      quad[i][d] = side % 2 == 0 ? low[d] : high[d];
      quad[i][u] = i == 1 || i == 2 ? high[u] : low[u];
      quad[i][v] = i >= 2 ? high[v] : low[v];
    }
    add_quad(mesh, quad, n);
  }
}

// 4.2 x 3.3 x 2.6 m with a bookcase, a table top, a sofa, a sideboard, a screen and two panels: 76 n2 triangles.
Mesh furnished(std::uint32_t n) {
  Mesh mesh;
  mesh.materials = {"wall"};
  add_box(mesh, {0.0, 0.0, 0.0}, {4.2, 3.3, 2.6}, n);
  add_box(mesh, {0.02, 1.9, 0.02}, {0.35, 3.1, 2.1}, n);
  add_box(mesh, {1.6, 1.1, 0.7}, {3.0, 1.9, 0.74}, n);
  add_box(mesh, {1.2, 2.5, 0.02}, {3.1, 3.2, 0.8}, n);
  add_box(mesh, {2.2, 0.02, 0.02}, {3.6, 0.45, 0.85}, n);
  add_box(mesh, {3.45, 1.75, 0.02}, {3.53, 2.75, 1.65}, n);
  add_quad(mesh, {Point{0.1, 0.05, 0.9}, {0.1, 1.2, 0.9}, {0.25, 1.2, 2.1}, {0.25, 0.05, 2.1}}, n);
  add_quad(mesh, {Point{1.0, 0.8, 2.3}, {3.0, 0.8, 2.3}, {3.0, 2.4, 2.45}, {1.0, 2.4, 2.45}}, n);
  merge_vertices(mesh);
  return mesh;
}

Point direction(std::uint32_t ray, std::uint32_t reflection) {
  const PhiloxCounter word = philox({ray, reflection, 0, 0}, {});
  const double z = 2.0 * uniform(word[0]) - 1.0, r = std::sqrt(1.0 - z * z),
               turn = 2.0 * std::numbers::pi * uniform(word[1]);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Rate {
  double a_second = 0.0;
  std::int64_t hits = 0, lost = 0;
};

// Mirrors, and after each tenth reflection a random direction; `hit(from, way, triangle)` has the distance, or infinity.
template <class Hit>
Rate walk(const FacetRoom& room, const Hit& hit) {
  Rate rate;
  const double start = seconds();
  for (std::uint32_t ray = 0; ray < rays; ++ray) {
    Point at = source, way = direction(ray, 0);
    std::uint32_t triangle = no_facet;
    for (std::uint32_t reflection = 1; reflection <= reflections; ++reflection) {
      const double distance = hit(at, way, triangle);
      if (!std::isfinite(distance)) {
        ++rate.lost;
        break;
      }
      ++rate.hits;
      const Point& normal = room.facets[room.facet_of_triangle[triangle]].normal;
      const double cosine = dot(way, normal);
      for (std::size_t d = 0; d < 3; ++d) at[d] += distance * way[d];
      if (reflection % 10 == 0) {
        way = direction(ray, reflection);
        const double side = dot(way, normal) * cosine > 0.0 ? 2.0 * dot(way, normal) : 0.0;
        for (std::size_t d = 0; d < 3; ++d) way[d] -= side * normal[d];
      } else {
        for (std::size_t d = 0; d < 3; ++d) way[d] -= 2.0 * cosine * normal[d];
      }
    }
  }
  rate.a_second = static_cast<double>(rate.hits) / (seconds() - start);
  return rate;
}

Rate by_tree(const FacetRoom& room) {
  return walk(room, [&](const Point& at, const Point& way, std::uint32_t& triangle) {
    const auto hit = room.tree.hit(at, way, triangle == no_facet ? no_facet : room.facet_of_triangle[triangle], 1e9);
    if (!hit) return std::numeric_limits<double>::infinity();
    triangle = hit->triangle;
    return hit->distance;
  });
}

#ifdef FDTD_EMBREE
Rate by_embree(const FacetRoom& room) {
  const RTCDevice device = rtcNewDevice("threads=1");
  const RTCScene scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const auto& vertices = room.tree.vertices();
  const auto& triangles = room.tree.triangles();
  auto* const at = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, vertices.size()));
  for (std::size_t v = 0; v < vertices.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) at[3 * v + d] = static_cast<float>(vertices[v][d]);
  auto* const corner = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) corner[3 * t + c] = triangles[t][c];
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  const Rate rate = walk(room, [&](const Point& from, const Point& way, std::uint32_t& triangle) {
    RTCRayHit one{};
    one.ray.org_x = static_cast<float>(from[0]);
    one.ray.org_y = static_cast<float>(from[1]);
    one.ray.org_z = static_cast<float>(from[2]);
    one.ray.dir_x = static_cast<float>(way[0]);
    one.ray.dir_y = static_cast<float>(way[1]);
    one.ray.dir_z = static_cast<float>(way[2]);
    one.ray.tnear = triangle == no_facet ? 0.0F : 1e-5F;
    one.ray.tfar = std::numeric_limits<float>::infinity();
    one.ray.mask = ~0U;
    one.hit.geomID = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
    rtcIntersect1(scene, &one);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &one);
#endif
    if (one.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::numeric_limits<double>::infinity();
    triangle = one.hit.primID;
    return static_cast<double>(one.ray.tfar);
  });
  rtcReleaseGeometry(geometry);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return rate;
}
#endif

// A whole trace: one octave, `receivers` of 0.3 m.
Rate by_trace(const FacetRoom& room, std::size_t receivers) {
  RayOctave octave;
  octave.centre = 1000.0;
  octave.walls.resize(1);
  octave.walls[0].admittance.fill(0.02);
  octave.walls[0].kept_when_scattered = 0.87;
  octave.scattering.assign(room.facets.size(), 0.1);
  octave.air.fill(0.001);
  std::vector<RayReceiver> balls;
  for (std::size_t r = 0; r < receivers; ++r)
    balls.push_back(
        {{0.7 + 0.13 * static_cast<double>(r % 20), 0.6 + 0.1 * static_cast<double>(r / 20), 1.2}, 0.3, false});
  RaySettings settings;
  settings.rays = 3000;
  settings.duration = 0.7;
  settings.image_order = 6;
  const double start = seconds();
  const RayEnergies made = trace_rays(room, std::span(&octave, 1), source, {}, balls, settings);
  return {static_cast<double>(made.hits) / (seconds() - start), made.hits, made.lost};
}

void run(int argc, char** argv) {
  const int turns = argc > 1 ? std::stoi(argv[1]) : 5;
  use_threads(1);
  bench::RowsDocument rows(
      {{"what",
        "Millions of segments a second on one core in a furnished room, its triangles divided: the "
        "tree of triangles, Embree where it was built in, and traces of one octave with receivers: "
        "medians, in turns."},
       {"date", bench::today()},
       {"command", bench::command_line("bench_rays", argc, argv)},
       {"program", version_line()},
       {"processor", processor_name()}});
  for (const std::uint32_t divided : {1U, 12U, 40U}) {
    const Mesh mesh = furnished(divided);
    const double start = seconds();
    const FacetRoom room = facets_of_mesh(mesh, {0}, 33.0);
    Json row{{"triangles", mesh.triangles.size()},
             {"facets", room.facets.size()},
             {"facets_seconds", seconds() - start},
             {"tree_bytes", room.tree.bytes()}};
    std::vector<std::pair<std::string, std::vector<double>>> measured;
    std::int64_t lost = 0;
    const auto measure = [&](std::size_t column, const std::string& name, const Rate& rate) {
      if (column == measured.size()) measured.push_back({name, {}});
      measured[column].second.push_back(1e-6 * rate.a_second);
    };
    for (int turn = 0; turn < turns; ++turn) {
      std::size_t column = 0;
      const Rate tree = by_tree(room);
      lost += tree.lost;
      measure(column++, "tree", tree);
#ifdef FDTD_EMBREE
      measure(column++, "embree", by_embree(room));
#endif
      for (const std::size_t receivers : {1U, 10U, 100U, 500U})
        measure(column++, fmt::format("trace_{}", receivers), by_trace(room, receivers));
    }
    for (auto& [name, values] : measured) row[name] = std::round(100.0 * median(values)) / 100.0;
    row["tree_lost"] = lost;
    rows.add({row});
  }
  rows.print();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_rays: {}\n", error.what());
    return 2;
  }
}
