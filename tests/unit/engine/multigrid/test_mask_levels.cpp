#include "engine/multigrid/mask_levels.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace fdtd::multigrid;

namespace {

// Two rooms of 10 x 16 x 16 cells; between them a wall of one cell with a door, if `door`, of 2 x 2 cells.
Elements two_rooms(bool door) {
  Elements all{{21, 16, 16}, {1.0, 1.0, 1.0}, {}};
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 21; ++x)
        all.coefficient.push_back(x != 10 || (door && y / 2 == 4 && z / 2 == 0) ? 1.0F : 0.0F);
  return all;
}

Elements filled(std::array<int, 3> cells) {
  const auto count = static_cast<std::size_t>(cells[0] * cells[1] * cells[2]);
  return {cells, {1.0, 0.5, 2.0}, std::vector<float>(count, 1.0F)};
}

double sum_of(const MaskLevel& level) {
  double sum = 0.0;
  for (const double one : level.stiffness) sum += one;
  return sum;
}

// Is there a way from one node to another by elements?
bool joined(const MaskLevel& level, std::size_t from, std::size_t to) {
  std::vector<bool> known(level.grid.size, false);
  std::vector<std::size_t> open{from};
  known[from] = true;
  const auto go = [&](std::int64_t node) {
    const auto i = static_cast<std::size_t>(node);
    if (!known[i]) known[i] = true, open.push_back(i);
  };
  while (!open.empty()) {
    const auto at = static_cast<std::int64_t>(open.back());
    open.pop_back();
    for (int e = 0; e < 8; ++e) {
      const std::int64_t element = at - e % 2 - level.grid.row * (e / 2 % 2) - level.grid.plane * (e / 4);
      if (!(level.element[static_cast<std::size_t>(element)] > 0.0F)) continue;
      for (int c = 0; c < 8; ++c) go(element + c % 2 + level.grid.row * (c / 2 % 2) + level.grid.plane * (c / 4));
    }
    for (std::size_t r = 0; r < level.irregular.row.size(); ++r)
      if (level.irregular.row[r] == at)
        for (auto e = level.irregular.begin[r]; e < level.irregular.begin[r + 1]; ++e)
          go(level.irregular.column[static_cast<std::size_t>(e)]);
  }
  return known[to];
}

}  // namespace

TEST_CASE("a box has one node a position on every level", "[multigrid]") {
  const auto levels = mask_levels(filled({33, 20, 17}));
  REQUIRE(levels.size() > 2);
  for (const MaskLevel& level : levels) {
    CHECK(level.grid == level.body);
    CHECK(level.irregular.count() == 0);
    CHECK(level.interpolation.count() == 0);
  }
  CHECK(levels.back().nodes <= coarsest_nodes);
}

TEST_CASE("a wall of one cell parts all levels, a door joins them", "[multigrid]") {
  for (const bool door : {false, true}) {
    const auto levels = mask_levels(two_rooms(door));
    REQUIRE(levels.size() == 3);
    for (std::size_t l = 1; l < levels.size(); ++l) {
      const MaskLevel& level = levels[l];
      INFO("level " << l << ", door " << door);
      CHECK(level.grid.nodes[2] > level.body.nodes[2]);
      const std::size_t left = level.body.index(0, 0, 0), right = level.body.index(level.body.nodes[0] - 1, 0, 0);
      CHECK(joined(level, left, right) == door);
    }
  }
}

TEST_CASE("transfers of further nodes carry constants, and one is the transpose of the other", "[multigrid]") {
  const auto levels = mask_levels(two_rooms(true));
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const SparseRows &up = levels[l].interpolation, &down = levels[l].restriction;
    REQUIRE(up.count() > 0);
    REQUIRE(up.value.size() == down.value.size());
    for (std::size_t r = 0; r < up.row.size(); ++r) {
      double sum = 0.0;
      for (auto e = static_cast<std::size_t>(up.begin[r]); e < static_cast<std::size_t>(up.begin[r + 1]); ++e) {
        sum += static_cast<double>(up.value[e]);
        CHECK(levels[l + 1].stiffness[static_cast<std::size_t>(up.column[e])] > 0.0);
        // The entry of the transpose.
        const auto row = std::ranges::lower_bound(down.row, up.column[e]) - down.row.begin();
        const auto begin = down.column.begin() + down.begin[static_cast<std::size_t>(row)];
        const auto end = down.column.begin() + down.begin[static_cast<std::size_t>(row) + 1];
        const auto found = std::find(begin, end, up.row[r]);
        REQUIRE(found != end);
        CHECK(down.value[static_cast<std::size_t>(found - down.column.begin())] == up.value[e]);
      }
      CHECK(sum == Approx(1.0));
    }
  }
}

TEST_CASE("coarser levels keep the volume of the elements: a quarter of the diagonal each", "[multigrid]") {
  // Sides of an even number of cells at every level but the last.
  const auto box = mask_levels(filled({16, 16, 16}));
  for (std::size_t l = 1; l < box.size(); ++l) CHECK(sum_of(box[l]) == Approx(sum_of(box[l - 1]) / 4.0));
  const auto rooms = mask_levels(two_rooms(true));
  for (std::size_t l = 1; l < rooms.size(); ++l) CHECK(sum_of(rooms[l]) == Approx(sum_of(rooms[l - 1]) / 4.0));
}

TEST_CASE("rows of irregular elements have no sum: constants have no gradient", "[multigrid]") {
  const auto levels = mask_levels(two_rooms(true));
  for (const MaskLevel& level : levels)
    for (std::size_t r = 0; r < level.irregular.row.size(); ++r) {
      double sum = 0.0, largest = 0.0;
      for (auto e = static_cast<std::size_t>(level.irregular.begin[r]);
           e < static_cast<std::size_t>(level.irregular.begin[r + 1]); ++e) {
        const auto value = static_cast<double>(level.irregular.value[e]);
        sum += value;
        largest = std::max(largest, std::abs(value));
      }
      CHECK(std::abs(sum) < 1e-5 * largest);
    }
}

namespace {

Elements random_walls(int n, unsigned of_ten) {
  Elements all{{n, n - 3, n + 2}, {1.0, 1.0, 1.0}, {}};
  std::mt19937 random(11);
  for (int i = 0; i < n * (n - 3) * (n + 2); ++i) all.coefficient.push_back(random() % 10 < of_ten ? 0.0F : 1.0F);
  return all;
}

// Nodes beyond the first at the coarse positions of a mask, by the definition: the children of a coarse cell are one
// element, and those around a position have one node if a chain of fine nodes, each with a value from there, joins them.
std::int64_t further_by_definition(const Elements& mask) {
  const auto& n = mask.cells;
  const auto air = [&](int x, int y, int z) {
    return x >= 0 && y >= 0 && z >= 0 && x < n[0] && y < n[1] && z < n[2] &&
           mask.coefficient[static_cast<std::size_t>(x + n[0] * (y + n[1] * z))] > 0.0F;
  };
  std::int64_t further = 0;
  for (int z = 0; z <= (n[2] + 1) / 2; ++z)
    for (int y = 0; y <= (n[1] + 1) / 2; ++y)
      for (int x = 0; x <= (n[0] + 1) / 2; ++x) {
        // Bit k of has[node]: a child of cell k has that fine node, of the 27 next to the position.
        std::array<unsigned, 27> has{};
        for (int c = 0; c < 64; ++c) {
          const std::array<int, 3> child = {c % 4 - 2, c / 4 % 4 - 2, c / 16 - 2};
          if (!air(2 * x + child[0], 2 * y + child[1], 2 * z + child[2])) continue;
          const int cell = (child[0] < 0 ? 1 : 0) + (child[1] < 0 ? 2 : 0) + (child[2] < 0 ? 4 : 0);
          for (int a = 0; a < 8; ++a) {
            const std::array<int, 3> node = {child[0] + a % 2, child[1] + a / 2 % 2, child[2] + a / 4};
            if (std::max({std::abs(node[0]), std::abs(node[1]), std::abs(node[2])}) < 2)
              has[static_cast<std::size_t>(node[0] + 1 + 3 * (node[1] + 1) + 9 * (node[2] + 1))] |= 1U << cell;
          }
        }
        unsigned left = 0;
        for (const unsigned one : has) left |= one;
        for (int nodes = 0; left != 0; ++nodes) {
          unsigned joined = left & (~left + 1U), before = 0;
          while (joined != before) {
            before = joined;
            for (const unsigned one : has)
              if ((one & joined) != 0) joined |= one;
          }
          left &= ~joined;
          further += nodes > 0 ? 1 : 0;
        }
      }
  return further;
}

std::int64_t further_of(const MaskLevel& level) {
  std::int64_t count = 0;
  for (std::size_t i = level.body.index(0, -1, level.body.nodes[2]); i < level.stiffness.size(); ++i)
    count += level.stiffness[i] > 0.0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("positions have as many nodes as their elements have parts, on random walls", "[multigrid]") {
  for (const unsigned of_ten : {2U, 5U, 7U, 8U}) {
    const Elements mask = random_walls(20, of_ten);
    const std::int64_t expected = further_by_definition(mask);
    INFO(of_ten << " of ten cells are wall");
    CHECK(expected > 0);
    CHECK(further_of(mask_levels(mask)[1]) == expected);
  }
}

TEST_CASE("levels of a mask are the same for any number of threads", "[multigrid]") {
  const Elements mask = random_walls(61, 5);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = mask_levels(mask);
  omp_set_num_threads(5);
  const auto five = mask_levels(mask);
  omp_set_num_threads(before);
  REQUIRE(one.size() == five.size());
  const auto same = [](const SparseRows& a, const SparseRows& b) {
    return a.row == b.row && a.begin == b.begin && a.column == b.column && a.value == b.value;
  };
  for (std::size_t l = 0; l < one.size(); ++l) {
    INFO("level " << l);
    CHECK(one[l].element == five[l].element);
    CHECK(one[l].stiffness == five[l].stiffness);
    CHECK(one[l].nodes == five[l].nodes);
    CHECK(same(one[l].irregular, five[l].irregular));
    CHECK(same(one[l].interpolation, five[l].interpolation));
    CHECK(same(one[l].restriction, five[l].restriction));
  }
}
