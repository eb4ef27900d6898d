// What reads a value into a member of T: the small change of tables of keys.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scenes/reader.hpp"

namespace fdtd::key_readers {

template <class T>
using Read = std::function<void(T&, const At&)>;

template <class T>
void note(T& into, const At& at, Place T::*place) {
  if (place != nullptr) into.*place = at.value.place;
}

template <class T, class M>
Read<T> number(M T::*member, Range range, Place T::*place = nullptr) {
  return [=](T& into, const At& at) {
    note(into, at, place);
    if (const auto x = at.number(range)) into.*member = *x;
  };
}

template <class T>
Read<T> whole_number(int T::*member, Range range) {
  return [=](T& into, const At& at) {
    if (const auto x = at.whole_number(range)) into.*member = *x;
  };
}

template <class T, class M>
Read<T> boolean(M T::*member) {
  return [=](T& into, const At& at) {
    if (const auto x = at.boolean()) into.*member = *x;
  };
}

template <class T>
Read<T> choice(std::string T::*member, std::vector<std::string> known) {
  return [=](T& into, const At& at) {
    if (const auto x = at.choice(known)) into.*member = *x;
  };
}

template <class T>
Read<T> name(std::string T::*member, Place T::*place) {
  return [=](T& into, const At& at) {
    note(into, at, place);
    if (const auto x = at.name()) into.*member = *x;
  };
}

constexpr Range anything{-1e300, 1e300};

template <class T>
Read<T> position(std::array<double, 3> T::*member, Range each, Place T::*place) {
  return [=](T& into, const At& at) {
    note(into, at, place);
    if (!at.is_list("three numbers")) return;
    if (at.value.items.size() != 3) {
      return at.fail(fmt::format("must be three numbers, not {}", at.value.items.size()));
    }
    if (const auto x = at.numbers(each)) std::copy(x->begin(), x->end(), (into.*member).begin());
  };
}

}  // namespace fdtd::key_readers
