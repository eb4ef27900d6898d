// Whether a value of a JSON document has the type that the reference manual states of its field.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"

namespace fdtd::test {

inline bool is_of_type(const nlohmann::json& value, const std::string& type) {
  if (type.ends_with(" or null")) return value.is_null() || is_of_type(value, type.substr(0, type.size() - 8));
  const auto all = [&value](const std::string& kind) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [&](const nlohmann::json& x) { return is_of_type(x, kind); });
  };
  if (type == "number") return value.is_number();
  if (type == "whole number") return value.is_number_integer();
  if (type == "text") return value.is_string();
  if (type == "true or false") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "object of texts")
    return value.is_object() &&
           std::all_of(value.begin(), value.end(), [](const nlohmann::json& x) { return x.is_string(); });
  if (type == "three numbers") return all("number") && value.size() == 3;
  if (type == "three whole numbers") return all("whole number") && value.size() == 3;
  if (type == "list of numbers") return all("number");
  if (type == "list of whole numbers") return all("whole number");
  if (type == "list of numbers or nulls") return all("number or null");
  if (type == "list of texts") return all("text");
  if (type == "list of objects") return all("object");
  if (type == "list of lists") return all("list of numbers");
  FAIL("no such type: " + type);
  return false;
}

}  // namespace fdtd::test
