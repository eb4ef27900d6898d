#include "engine/results/stored_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/utf8.hpp"

namespace fdtd {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(Status::file, fmt::format("{}: {}", path.string(), what),
              "the file is damaged, or another program wrote it");
}

}  // namespace

void check_stored_name(const std::filesystem::path& path, const std::string& object, const std::string& name) {
  const bool is_path = name.empty() || name == "." || name == ".." || name.find('/') != name.npos;
  if (!is_path && is_printable(name)) return;
  refuse(path, fmt::format("{} holds the name {}, which {}", object, in_quotes(name),
                           is_path ? "cannot be that of a file" : "has control or invisible characters"));
}

void check_stored_names(const std::filesystem::path& path, const std::string& object,
                        const std::vector<std::string>& names) {
  for (const std::string& name : names) check_stored_name(path, object, name);
}

void check_value(const std::filesystem::path& path, const std::string& object, double value, bool holds,
                 const char* rule) {
  if (!std::isfinite(value)) refuse(path, fmt::format("{} is {}, not a finite number", object, value));
  if (!holds) refuse(path, fmt::format("{} is {:.12g}: {}", object, value, rule));
}

namespace {

template <class T>
void check_all_finite(const std::filesystem::path& path, const std::string& object, std::span<const T> values,
                      std::uint64_t first) {
  constexpr T largest = static_cast<T>(1e30);  // nothing that single precision could compute with
  const auto bad = std::find_if(values.begin(), values.end(), [](T x) { return !(std::abs(x) <= largest); });
  if (bad == values.end()) return;
  const auto at = first + static_cast<std::uint64_t>(bad - values.begin());
  refuse(path, std::isfinite(*bad) ? fmt::format("{}: value {} is {}, larger than any", object, at, *bad)
                                   : fmt::format("{}: value {} is {}, not a finite number", object, at, *bad));
}

}  // namespace

void check_finite(const std::filesystem::path& path, const std::string& object, std::span<const double> values,
                  std::uint64_t first) {
  check_all_finite(path, object, values, first);
}

void check_finite(const std::filesystem::path& path, const std::string& object, std::span<const float> values,
                  std::uint64_t first) {
  check_all_finite(path, object, values, first);
}

}  // namespace fdtd
