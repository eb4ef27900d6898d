// Readers that fill a member of a struct: number, whole number, boolean, choice, name, position.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scenes/toml/reader.hpp"

namespace fdtd::key_readers {

inline std::string toml(bool value) { return value ? "true" : "false"; }
inline std::string toml(int value) { return fmt::format("{}", value); }
inline std::string toml(double value) { return fmt::format("{}", value); }
inline std::string toml(const std::string& value) { return value.empty() ? "" : '"' + value + '"'; }
template <class M>
std::string toml(const std::optional<M>& value) {
  return value ? toml(*value) : "";
}

// The member of a new T as TOML.
template <class T, class M>
std::function<std::string(const T&)> initial(M T::*member) {
  return [=](const T& one) { return toml(one.*member); };
}

template <class T>
void keep_place(T& into, const At& at, TextPlace T::*place) {
  if (place != nullptr) into.*place = at.value.place;
}

template <class T, class M>
Reader<T> number(M T::*member, Range range, TextPlace T::*place = nullptr) {
  return {[=](T& into, const At& at) {
            keep_place(into, at, place);
            if (const auto x = at.number(range)) into.*member = *x;
          },
          {"number", range, {}},
          initial(member)};
}

template <class T>
Reader<T> whole_number(int T::*member, Range range) {
  return {[=](T& into, const At& at) {
            if (const auto x = at.whole_number(range)) into.*member = *x;
          },
          {"whole number", range, {}},
          initial(member)};
}

template <class T, class M>
Reader<T> boolean(M T::*member) {
  return {[=](T& into, const At& at) {
            if (const auto x = at.boolean()) into.*member = *x;
          },
          {"true or false", {}, {}},
          initial(member)};
}

template <class T>
Reader<T> choice(std::string T::*member, std::vector<std::string> known) {
  return {[=](T& into, const At& at) {
            if (const auto x = at.choice(known)) into.*member = *x;
          },
          {"text", {}, known},
          initial(member)};
}

template <class T>
Reader<T> name(std::string T::*member, TextPlace T::*place = nullptr) {
  return {[=](T& into, const At& at) {
            keep_place(into, at, place);
            if (const auto x = at.name()) into.*member = *x;
          },
          {"text, valid in a file name", {}, {}}};
}

constexpr Range any_metres{-unlimited, unlimited, "m"};

template <class T>
Reader<T> position(std::array<double, 3> T::*member, Range each, TextPlace T::*place) {
  return {[=](T& into, const At& at) {
            keep_place(into, at, place);
            if (!at.is_list("three numbers")) return;
            if (at.value.items.size() != 3) {
              return at.fail(fmt::format("must be three numbers, not {}", at.value.items.size()));
            }
            if (const auto x = at.numbers(each)) std::copy(x->begin(), x->end(), (into.*member).begin());
          },
          {"three numbers", each, {}}};
}

}  // namespace fdtd::key_readers
