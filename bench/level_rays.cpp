// Levels of `fdtd estimate` beside those of rays, in corridors and in rooms with obstacles: walls as mirrors, as image
// sources have them, and walls that scatter by Lambert's law.
//
//   bench_level_rays [RAYS] > bench/results/level-rays.json
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include "engine/estimate/model.hpp"
#include "engine/system/version.hpp"

using namespace fdtd;

namespace {

using Place = std::array<double, 3>;
constexpr double h = 0.5, c = 343.0;  // m, m/s

struct Case {
  std::string name;
  std::array<int, 3> cells{};
  Place source{};
  std::vector<Place> receivers;  // corners of cells: levels are means over the cells around
  std::function<bool(int, int, int)> air;
};

std::vector<Place> along(std::initializer_list<double> x, double y, double z) {
  std::vector<Place> places;
  for (const double one : x) places.push_back({one, y, z});
  return places;
}

std::vector<Case> cases() {
  const auto corridor = [](const char* name, std::function<bool(int, int, int)> air) {
    return Case{name,
                {60, 6, 6},
                {1.6, 1.6, 1.4},
                along({3.5, 5.5, 8.5, 12.5, 16.5, 20.5, 25.5, 29.0}, 1.5, 1.5),
                std::move(air)};
  };
  const auto room = [](const char* name, int height, std::function<bool(int, int, int)> air) {
    return Case{
        name, {40, 30, height}, {3.1, 5.2, 1.6}, along({5.5, 8.0, 12.0, 16.0, 19.0}, 11.5, 1.5), std::move(air)};
  };
  Case bend{"corridor 20 x 3 x 3 m and 17 m around a corner",
            {40, 40, 6},
            {1.6, 1.6, 1.4},
            along({4.5, 8.5, 12.5, 15.5, 18.5}, 1.5, 1.5),
            [](int x, int y, int) { return y < 6 || x >= 34; }};
  for (const double y : {4.5, 6.5, 8.5, 12.5, 16.5, 19.0}) bend.receivers.push_back({18.5, y, 1.5});
  return {
      corridor("corridor 30 x 3 x 3 m", [](int, int, int) { return true; }),
      corridor("corridor 30 x 3 x 3 m, 14 cupboards of 1 x 0.5 x 2 m",
               [](int x, int y, int z) { return !(x % 8 >= 6 && (y == 0 || y == 5) && z < 4); }),
      corridor("corridor 30 x 3 x 3 m, a doorway of 2 x 2.5 m half way",
               [](int x, int y, int z) { return x != 30 || (y >= 1 && y <= 4 && z <= 4); }),
      bend,
      room("room 20 x 15 x 8 m", 16, [](int, int, int) { return true; }),
      room("room 20 x 15 x 6 m, a column of 1 m", 12,
           [](int x, int y, int) { return x < 18 || x > 19 || y < 15 || y > 16; }),
      room("room 20 x 15 x 6 m, 12 columns of 1 m", 12,
           [](int x, int y, int) { return x % 10 < 8 || y % 10 < 5 || y % 10 > 6; }),
      room("room 20 x 15 x 8 m, a balcony of 4 m", 16, [](int x, int, int z) { return x < 32 || z != 6; }),
      room("room 20 x 15 x 5 m, a screen of 2.5 m across", 10, [](int x, int, int z) { return x != 20 || z >= 5; }),
      Case{"flat room 30 x 20 x 3 m, 24 columns of 0.5 x 1 m",
           {60, 40, 6},
           {3.1, 5.2, 1.6},
           along({7.5, 10.0, 15.0, 20.0, 25.0, 29.0}, 11.5, 1.5),
           [](int x, int y, int) { return x % 10 < 9 || y % 10 < 5 || y % 10 > 6; }},
      Case{"two rooms, 60 m3 each, a door of 1 x 2 m",
           {21, 8, 6},
           {1.1, 1.2, 1.3},
           along({3.5, 4.5, 6.5, 7.5, 8.5, 9.5}, 1.0, 1.5),
           [](int x, int y, int z) { return x != 10 || ((y == 4 || y == 5) && z < 4); }},
  };
}

DiffusionRoom make(const Case& one) {
  AirMask air = AirMask::walls(one.cells);
  for (int z = 0; z < one.cells[2]; ++z)
    for (int y = 0; y < one.cells[1]; ++y)
      for (int x = 0; x < one.cells[0]; ++x)
        if (one.air(x, y, z)) air.set(x, y, z, true);
  const double volume = h * h * h * static_cast<double>(air.count());
  return make_diffusion_room(voxels_of(std::move(air), {h, h, h}, "wall"), volume, {one.source}, one.receivers);
}

double G(double density) { return 10.0 * std::log10(density * c * 4.0 * std::numbers::pi * 100.0); }

// Energy density at the receivers, by the lengths of the rays in the cells around.
std::vector<double> by_rays(const DiffusionRoom& room, double alpha, bool lambert, int rays) {
  constexpr double least = 3e-6;  // of a ray's energy
  std::vector<double> lengths(room.air.size(), 0.0);
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int i = 0; i < rays; ++i) {
    const double up = 2.0 * uniform(generator) - 1.0, turn = 2.0 * std::numbers::pi * uniform(generator);
    Place at = room.sources[0];
    Place way = {std::sqrt(1.0 - up * up) * std::cos(turn), std::sqrt(1.0 - up * up) * std::sin(turn), up};
    std::array<int, 3> cell = room.cell_at(at);
    for (double energy = 1.0; energy > least;) {
      double path = 1e30;
      std::size_t axis = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (std::abs(way[d]) < 1e-14) continue;
        const double to = std::max(0.0, ((cell[d] + (way[d] > 0.0 ? 1 : 0)) * h - at[d]) / way[d]);
        if (to < path) path = to, axis = d;
      }
      lengths[room.cell_of(cell[0], cell[1], cell[2])] += energy * path;
      for (std::size_t d = 0; d < 3; ++d) at[d] += path * way[d];
      const bool high = way[axis] > 0.0;
      at[axis] = (cell[axis] + (high ? 1 : 0)) * h;
      std::array<int, 3> next = cell;
      next[axis] += high ? 1 : -1;
      if (room.is_air(next[0], next[1], next[2])) {
        cell = next;
        continue;
      }
      energy *= 1.0 - alpha;
      if (!lambert) {
        way[axis] = -way[axis];
        continue;
      }
      const double out = std::sqrt(uniform(generator)), side = std::sqrt(1.0 - out * out);
      const double around = 2.0 * std::numbers::pi * uniform(generator);
      way[axis] = high ? -out : out;
      way[(axis + 1) % 3] = side * std::cos(around);
      way[(axis + 2) % 3] = side * std::sin(around);
    }
  }
  std::vector<double> levels;
  for (const Place& place : room.receivers) {
    double sum = 0.0;
    int count = 0;
    for (int n = 0; n < 8; ++n) {
      const int x = static_cast<int>(std::round(place[0] / h)) - n % 2,
                y = static_cast<int>(std::round(place[1] / h)) - n / 2 % 2,
                z = static_cast<int>(std::round(place[2] / h)) - n / 4;
      if (room.is_air(x, y, z)) sum += lengths[room.cell_of(x, y, z)], ++count;
    }
    levels.push_back(G(sum / count / rays / (c * h * h * h)));
  }
  return levels;
}

nlohmann::ordered_json rounded(const std::vector<double>& levels) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double one : levels) list.push_back(std::round(100.0 * one) / 100.0);
  return list;
}

}  // namespace

int main(int count, char** words) {
  const int rays = count > 1 ? std::atoi(words[1]) : 100000;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Case& one : cases()) {
    const DiffusionRoom room = make(one);
    for (const double alpha : {0.1, 0.3}) {
      DiffusionModel model(room, c, 1);
      model.set_band(std::vector<double>{alpha}, 0.0);
      const DiffusionField field = model.solve(0);
      std::vector<double> levels, constant;
      for (std::size_t r = 0; r < room.receivers.size(); ++r) {
        levels.push_back(G(field.diffuse[r] + field.direct[r]));
        constant.push_back(G(field.decays[r].amplitudes[0] + field.direct[r]));  // decays start from D = c lambda/3
      }
      results.push_back({{"room", one.name},
                         {"alpha", alpha},
                         {"in_sight", std::round(1000.0 * model.in_sight_fraction()) / 1000.0},
                         {"smooth_walls", model.straight()},
                         {"places", room.receivers},
                         {"rays, mirrors", rounded(by_rays(room, alpha, false, rays))},
                         {"rays, diffuse walls", rounded(by_rays(room, alpha, true, rays))},
                         {"estimate", rounded(levels)},
                         {"D = c lambda/3", rounded(constant)}});
    }
  }
  const nlohmann::ordered_json out{
      {"program", version_line()},
      {"what", "steady level G in dB, direct sound included, walls of one alpha: rays beside the diffusion equation"},
      {"command", "bench_level_rays " + std::to_string(rays)},
      {"results", results}};
  std::printf("%s\n", out.dump(1).c_str());
  return 0;
}
