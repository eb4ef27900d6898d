#include "engine/voxels/shared/plane_partition.hpp"

#include <cstdint>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("shares of planes cover all of them once, also where there are more shares than planes") {
  for (const int total : {1, 7, 100}) {
    for (const int count : {1, 2, 3, 9}) {
      int next = 0;
      for (int i = 0; i < count; ++i) {
        const auto [begin, end] = PlanePartition{i, count, {}}.planes(total);
        CHECK(begin == next);
        CHECK(end >= begin);
        next = end;
      }
      CHECK(next == total);
    }
  }
}

TEST_CASE("lists of several kinds are packed and unpacked in order, appended to what is there") {
  std::vector<std::byte> bytes;
  pack(std::vector<std::uint64_t>{3, 5}, bytes);
  pack(std::vector<float>{}, bytes);
  pack(std::vector<char>{'a'}, bytes);
  std::span<const std::byte> rest = bytes;
  std::vector<std::uint64_t> numbers{1};
  std::vector<float> none;
  std::vector<char> letters;
  unpack(rest, numbers);
  unpack(rest, none);
  unpack(rest, letters);
  CHECK(numbers == std::vector<std::uint64_t>{1, 3, 5});
  CHECK(none.empty());
  CHECK(letters == std::vector<char>{'a'});
  CHECK(rest.empty());
  CHECK_THROWS_AS(unpack(rest, letters), std::length_error);
  rest = std::span(bytes).first(12);
  CHECK_THROWS_AS(unpack(rest, numbers), std::length_error);
}
