#include "engine/cpu/schedule/search.hpp"

#include <algorithm>
#include <map>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

namespace {

// Synthetic times, and how often each order was timed.
struct Machine {
  std::map<std::string, int> timed;
  std::function<double(const TileOrder&, int)> seconds;  // of an order, at the n-th call
  TileOrder search(const SearchSpace& space) {
    return fastest(space, [this](const TileOrder& order) { return seconds(order, timed[to_string(order)]++); });
  }
  int times(const TileOrder& order) const {
    const auto found = timed.find(to_string(order));
    return found == timed.end() ? 0 : found->second;
  }
};

TileOrder cut(int steps, int columns = 8) { return {steps, columns, 1}; }
TileOrder whole_rows(int steps, int columns = 8) { return {steps, columns, 1, 0, true}; }
SearchSpace space_of(bool single) {
  SearchSpace space;
  if (single) space.single = {cut(1), whole_rows(1), cut(1, 4), whole_rows(1, 4)};
  for (const int steps : {2, 3, 4, 6})
    space.several.push_back({cut(steps), cut(steps, 4), whole_rows(steps), whole_rows(steps, 4)});
  return space;
}

}  // namespace

TEST_CASE("a single order is chosen without timing") {
  Machine machine;
  machine.seconds = [](const TileOrder&, int) { return 1.0; };
  CHECK(machine.search({{cut(1)}, {}}) == cut(1));
  CHECK(machine.search({{}, {{whole_rows(2)}}}) == whole_rows(2));
  CHECK(machine.timed.empty());
}

TEST_CASE("the fastest order is found among single steps, several, and both") {
  for (const TileOrder& best : {cut(1, 4), whole_rows(1), whole_rows(3, 4), cut(6)}) {
    Machine machine;
    machine.seconds = [&](const TileOrder& order, int) {
      return order == best ? 1.0 : order.whole_rows == best.whole_rows ? 1.3 : 1.4;
    };
    CAPTURE(to_string(best));
    CHECK(machine.search(space_of(true)) == best);
    if (best.steps > 1) CHECK(machine.search(space_of(false)) == best);
  }
}

TEST_CASE("for several steps the slower kind of rows is not timed") {
  Machine machine;
  machine.seconds = [](const TileOrder& order, int) { return (order.whole_rows ? 1.0 : 1.5) / order.steps; };
  CHECK(machine.search(space_of(true)).whole_rows);
  for (const int steps : {2, 3, 4, 6}) {
    CHECK(machine.times(cut(steps)) == 0);
    CHECK(machine.times(whole_rows(steps)) > 0);
  }
  // Where single steps do not decide, the fewest steps do.
  machine.timed.clear();
  machine.seconds = [](const TileOrder& order, int) { return (order.whole_rows ? 1.1 : 1.0) / order.steps; };
  CHECK_FALSE(machine.search(space_of(true)).whole_rows);
  CHECK(machine.times(whole_rows(2)) == 1);
  CHECK(machine.times(whole_rows(3)) == 0);
  // Without single steps both kinds are timed once.
  machine.timed.clear();
  CHECK_FALSE(machine.search(space_of(false)).whole_rows);
  CHECK(machine.times(whole_rows(2)) == 1);
  CHECK(machine.times(whole_rows(3)) == 0);
}

TEST_CASE("more steps are not timed where fewer were faster by far") {
  Machine machine;
  machine.seconds = [](const TileOrder& order, int) { return 0.2 + 0.3 * order.steps; };
  CHECK(machine.search(space_of(true)).steps == 1);
  CHECK(machine.times(cut(2)) == 1);  // single steps do not decide that
  CHECK(machine.times(cut(3)) == 1);
  CHECK(machine.times(cut(4)) == 0);
}

TEST_CASE("the fastest order is found on a machine of two speeds") {
  for (const int moment : {5, 9, 16}) {  // samples at one speed, then as many at the other
    for (int phase = 0; phase < 2 * moment; ++phase) {
      for (const TileOrder& best : {cut(1, 4), whole_rows(2), cut(3), whole_rows(6, 4)}) {
        Machine machine;
        int now = phase;
        machine.seconds = [&](const TileOrder& order, int) {
          const double speed = now++ / moment % 2 == 0 ? 1.0 : 0.65;
          return speed * (order == best ? 1.0 : order.whole_rows == best.whole_rows ? 1.15 : 1.2);
        };
        CAPTURE(moment, phase, to_string(best));
        CHECK(machine.search(space_of(true)) == best);
      }
    }
  }
}

TEST_CASE("one fast sample decides nothing") {
  Machine machine;
  machine.seconds = [](const TileOrder& order, int call) {
    if (order == cut(1, 4)) return call == 0 ? 0.5 : 2.0;
    return order == whole_rows(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == whole_rows(1));
  machine.timed.clear();
  machine.seconds = [](const TileOrder& order, int call) {
    if (order == cut(1, 4)) return call == 0 ? 0.95 : 2.0;
    return order == whole_rows(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == whole_rows(1));
  // Nor does one fast time of the last.
  machine.timed.clear();
  machine.seconds = [](const TileOrder& order, int call) {
    if (order == cut(1, 4)) return call == 2 ? 0.5 : 1.05;
    return order == whole_rows(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == whole_rows(1));
  // Nor does one slow time.
  machine.timed.clear();
  machine.seconds = [](const TileOrder& order, int call) {
    if (order == whole_rows(1)) return call == 2 ? 9.0 : 1.0;
    return order == cut(1) ? 1.05 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == whole_rows(1));
}
