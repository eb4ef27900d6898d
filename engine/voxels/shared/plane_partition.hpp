// The planes of a grid that this process voxelises where several share one room, and how their results come together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace fdtd {

struct PlanePartition {
  int index = 0, count = 1;  // of this process among those that share the room
  // The bytes of all processes, in order, at each. All processes make the same calls; none where `count` is 1.
  std::function<std::vector<std::vector<std::byte>>(std::span<const std::byte>)> gather;

  std::vector<int> borders{};  // count + 1 planes, from 0 to the last's end (plane_borders.hpp); empty: equal parts

  bool whole() const { return count == 1; }
  // Of `total` planes: [begin, end).
  std::array<int, 2> planes(int total) const {
    const auto own = static_cast<std::size_t>(index);
    if (!borders.empty()) return {borders[own], borders[own + 1]};
    const auto before = [&](int i) { return static_cast<int>(static_cast<std::int64_t>(total) * i / count); };
    return {before(index), before(index + 1)};
  }
};

// Lists as bytes, one after the other, for processes of one program on machines of one kind.
template <class Value>
void pack(const std::vector<Value>& list, std::vector<std::byte>& into) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::uint64_t count = list.size();
  const auto append = [&](const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(from);
    into.insert(into.end(), bytes, bytes + size);
  };
  append(&count, sizeof count);
  append(list.data(), list.size() * sizeof(Value));
}

// Appends the next list of `from` and drops it there. Throws std::length_error where there is none.
template <class Value>
void unpack(std::span<const std::byte>& from, std::vector<Value>& into) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::uint64_t count = 0;
  if (from.size() < sizeof count) throw std::length_error("unpack: a list is missing");
  std::memcpy(&count, from.data(), sizeof count);
  from = from.subspan(sizeof count);
  if (count > from.size() / sizeof(Value)) throw std::length_error("unpack: a list is truncated");
  const std::size_t before = into.size(), size = static_cast<std::size_t>(count) * sizeof(Value);
  into.resize(before + static_cast<std::size_t>(count));
  if (size > 0) std::memcpy(into.data() + before, from.data(), size);
  from = from.subspan(size);
}

}  // namespace fdtd
