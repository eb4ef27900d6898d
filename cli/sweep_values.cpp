#include "cli/sweep_values.hpp"

#include <fmt/format.h>

#include "engine/error.hpp"

namespace fdtd::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::vector<std::string> list_elements(const std::string& text) {
  const std::string list = trimmed(text);
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return {list};
  std::vector<std::string> elements;
  std::string one;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"' && i + 2 < list.size()) one += list[i++];
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.push_back(trimmed(one));
      one.clear();
      continue;
    }
    one += list[i];
  }
  if (!trimmed(one).empty()) elements.push_back(trimmed(one));  // a comma may end a list
  return elements;
}

std::vector<SweepPoint> sweep_points(const std::vector<std::string>& sets, std::size_t max_points) {
  std::vector<SweepPoint> points = {{}};
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == set.npos || equals == 0)
      throw Error(Status::scene, fmt::format("--set {}: needs a key, \"=\" and a list of values", set),
                  "write --set room.box='[[5, 4, 3], [6, 4, 3]]'");
    const std::vector<std::string> values = list_elements(set.substr(equals + 1));
    if (values.empty()) throw Error(Status::scene, fmt::format("--set {}: the list is empty", set), "give it a value");
    if (values.size() > max_points / points.size())
      throw Error(Status::scene, fmt::format("these values give more than {} runs", max_points),
                  "sweep over fewer values at a time");
    std::vector<SweepPoint> longer;
    for (const SweepPoint& point : points)
      for (const std::string& value : values) {
        longer.push_back(point);
        longer.back().push_back(set.substr(0, equals + 1) + value);
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace fdtd::cli
