// Values are computed once for the same numbers, and are those of the numbers asked for.
#include "base/known_values.hpp"

#include <atomic>
#include <thread>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a value is computed once for the same numbers, and each numbers' own is returned") {
  KnownValues<double> known(8);
  int computed = 0;
  const auto sum = [&](double a, double b) {
    return known.of({a, b}, [&] {
      ++computed;
      return a + 10.0 * b;
    });
  };
  for (int again = 0; again < 3; ++again) {
    CHECK(sum(1.0, 2.0) == 21.0);
    CHECK(sum(2.0, 1.0) == 12.0);
    CHECK(sum(1.0, 2.0000000000000004) == 1.0 + 10.0 * 2.0000000000000004);
  }
  CHECK(computed == 3);
  CHECK(known.of({1.0}, [] { return -1.0; }) == -1.0);          // fewer numbers are others
  for (int i = 0; i < 100; ++i) CHECK(sum(i, 0.5) == i + 5.0);  // beyond the most that are kept
}

TEST_CASE("threads that ask at once for the same and for other numbers get the right values") {
  KnownValues<double> known(16);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&known, &wrong, t] {
      for (int i = 0; i < 2000; ++i) {
        const double asked = (i * (t + 1)) % 23;
        if (known.of({asked}, [asked] { return asked * asked; }) != asked * asked) ++wrong;
      }
    });
  for (std::thread& one : threads) one.join();
  CHECK(wrong == 0);
}
