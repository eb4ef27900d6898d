#include "engine/system/heartbeat.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Counts {
  std::atomic<int> beats{0}, silences{0};
  std::atomic<double> silent{0.0};
  std::atomic<bool> received{false};
};

HeartLine line_of(Counts& counts) {
  return {[&] { ++counts.beats; }, [&] { return counts.received.load(); },
          [&](double seconds) {
            counts.silent = seconds;
            ++counts.silences;
          }};
}

bool comes(const std::atomic<int>& count, int min) {
  for (int i = 0; i < 3000 && count < min; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return count >= min;
}

}  // namespace

TEST_CASE("silence longer than the patience is reported once, with its length") {
  Counts counts;
  const Heartbeat heart(line_of(counts), 0.1);
  REQUIRE(comes(counts.silences, 1));
  CHECK(counts.silent > 0.1);
  CHECK(counts.silent < 0.12);
  const int beats = counts.beats;
  CHECK(beats >= 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(counts.silences == 1);
}

TEST_CASE("a process whose beats arrive is not silent, and a heartbeat that has ended sends no more") {
  Counts counts;
  counts.received = true;
  auto heart = std::make_unique<Heartbeat>(line_of(counts), 0.1);
  REQUIRE(comes(counts.beats, 60));  // three patiences
  heart.reset();
  CHECK(counts.silences == 0);
  const int beats = counts.beats;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(counts.beats == beats);
}
