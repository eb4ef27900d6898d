#include "engine/cpu/schedule/search.hpp"

#include <algorithm>
#include <map>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

namespace {

// Made-up times, and how often each march was asked for.
struct Machine {
  std::map<std::string, int> asked;
  std::function<double(const March&, int)> seconds;  // of a march, at the n-th call
  March search(const SearchSpace& space) {
    return fastest(space, [this](const March& march) { return seconds(march, asked[to_string(march)]++); });
  }
  int times(const March& march) const {
    const auto found = asked.find(to_string(march));
    return found == asked.end() ? 0 : found->second;
  }
};

March cut(int steps, int columns = 8) { return {steps, columns, 1}; }
March uncut(int steps, int columns = 8) { return {steps, columns, 1, 0, true}; }
SearchSpace space_of(bool single) {
  SearchSpace space;
  if (single) space.single = {cut(1), uncut(1), cut(1, 4), uncut(1, 4)};
  for (const int steps : {2, 3, 4, 6})
    space.several.push_back({cut(steps), cut(steps, 4), uncut(steps), uncut(steps, 4)});
  return space;
}

}  // namespace

TEST_CASE("a march alone is chosen without timing it") {
  Machine machine;
  machine.seconds = [](const March&, int) { return 1.0; };
  CHECK(machine.search({{cut(1)}, {}}) == cut(1));
  CHECK(machine.search({{}, {{uncut(2)}}}) == uncut(2));
  CHECK(machine.asked.empty());
}

TEST_CASE("the fastest march is found among single steps, several, and both") {
  for (const March& best : {cut(1, 4), uncut(1), uncut(3, 4), cut(6)}) {
    Machine machine;
    machine.seconds = [&](const March& march, int) {
      return march == best ? 1.0 : march.uncut == best.uncut ? 1.3 : 1.4;
    };
    CAPTURE(to_string(best));
    CHECK(machine.search(space_of(true)) == best);
    if (best.steps > 1) CHECK(machine.search(space_of(false)) == best);
  }
}

TEST_CASE("of several steps the kind of rows that lost is not timed") {
  Machine machine;
  machine.seconds = [](const March& march, int) { return (march.uncut ? 1.0 : 1.5) / march.steps; };
  CHECK(machine.search(space_of(true)).uncut);
  for (const int steps : {2, 3, 4, 6}) {
    CHECK(machine.times(cut(steps)) == 0);
    CHECK(machine.times(uncut(steps)) > 0);
  }
  // Where single steps do not tell, the fewest steps do.
  machine.asked.clear();
  machine.seconds = [](const March& march, int) { return (march.uncut ? 1.1 : 1.0) / march.steps; };
  CHECK_FALSE(machine.search(space_of(true)).uncut);
  CHECK(machine.times(uncut(2)) == 1);
  CHECK(machine.times(uncut(3)) == 0);
  // Nor are single steps there: both kinds are timed once.
  machine.asked.clear();
  CHECK_FALSE(machine.search(space_of(false)).uncut);
  CHECK(machine.times(uncut(2)) == 1);
  CHECK(machine.times(uncut(3)) == 0);
}

TEST_CASE("more steps are not timed where fewer were faster by far") {
  Machine machine;
  machine.seconds = [](const March& march, int) { return 0.2 + 0.3 * march.steps; };
  CHECK(machine.search(space_of(true)).steps == 1);
  CHECK(machine.times(cut(2)) == 1);  // single steps say nothing of that
  CHECK(machine.times(cut(3)) == 1);
  CHECK(machine.times(cut(4)) == 0);
}

TEST_CASE("the fastest march is found on a machine of two speeds") {
  for (const int moment : {5, 9, 16}) {  // samples at one speed, then as many at the other
    for (int phase = 0; phase < 2 * moment; ++phase) {
      for (const March& best : {cut(1, 4), uncut(2), cut(3), uncut(6, 4)}) {
        Machine machine;
        int now = phase;
        machine.seconds = [&](const March& march, int) {
          const double speed = now++ / moment % 2 == 0 ? 1.0 : 0.65;
          return speed * (march == best ? 1.0 : march.uncut == best.uncut ? 1.15 : 1.2);
        };
        CAPTURE(moment, phase, to_string(best));
        CHECK(machine.search(space_of(true)) == best);
      }
    }
  }
}

TEST_CASE("one lucky sample chooses nothing") {
  Machine machine;
  machine.seconds = [](const March& march, int call) {
    if (march == cut(1, 4)) return call == 0 ? 0.5 : 2.0;
    return march == uncut(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == uncut(1));
  machine.asked.clear();
  machine.seconds = [](const March& march, int call) {
    if (march == cut(1, 4)) return call == 0 ? 0.95 : 2.0;
    return march == uncut(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == uncut(1));
  // Nor does one lucky turn of the last.
  machine.asked.clear();
  machine.seconds = [](const March& march, int call) {
    if (march == cut(1, 4)) return call == 2 ? 0.5 : 1.05;
    return march == uncut(1) ? 1.0 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == uncut(1));
  // Nor does one unlucky turn.
  machine.asked.clear();
  machine.seconds = [](const March& march, int call) {
    if (march == uncut(1)) return call == 2 ? 9.0 : 1.0;
    return march == cut(1) ? 1.05 : 1.5;
  };
  CHECK(machine.search(space_of(true)) == uncut(1));
}
