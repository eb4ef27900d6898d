#include "engine/run/exchanged_recording.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a recording of receivers that sent becomes that of the scene's sources, record by record") {
  constexpr std::size_t samples = 3;
  for (const auto& [senders, heard] : {std::pair<std::size_t, std::size_t>{1, 5}, {2, 3}, {4, 4}, {5, 7}, {6, 1}}) {
    CAPTURE(senders, heard);
    Recording recording;
    recording.samples = samples;
    for (std::size_t r = 0; r < senders; ++r) recording.sources.push_back(fmt::format("R{}", r));
    for (std::size_t s = 0; s < heard; ++s) recording.receivers.push_back(fmt::format("S{}", s));
    const auto value = [](std::size_t r, std::size_t s, std::size_t n) {
      return static_cast<double>(100 * r + 10 * s + n);
    };
    for (std::size_t r = 0; r < senders; ++r)
      for (std::size_t s = 0; s < heard; ++s)
        for (std::size_t n = 0; n < samples; ++n) recording.pressure.push_back(value(r, s, n));
    recording.energy.resize(senders);
    exchange_recording(recording);
    REQUIRE(recording.sources.size() == heard);
    REQUIRE(recording.receivers.size() == senders);
    CHECK(recording.sources.front() == "S0");
    CHECK(recording.exchanged);
    CHECK(recording.senders() == recording.receivers);
    CHECK(recording.energy.size() == senders);
    bool equal = true;
    for (std::size_t s = 0; s < heard; ++s)
      for (std::size_t r = 0; r < senders; ++r)
        for (std::size_t n = 0; n < samples; ++n)
          equal = equal && recording.pressure[(s * senders + r) * samples + n] == value(r, s, n);
    CHECK(equal);
  }
}
