#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace fdtd::cli {

std::array<int, 3> parse_grid(const std::string& text) {
  std::array<int, 3> grid{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [next, error] = std::from_chars(at, end, grid[d]);
    const bool separator = d == 2 ? next == end : next != end && *next == 'x';
    if (error != std::errc() || grid[d] < 1 || !separator)
      throw Error(Status::scene, fmt::format("--grid: {} is not a grid size", text),
                  "write three whole numbers, as in 256x256x192");
    at = d == 2 ? next : next + 1;
  }
  return grid;
}

std::optional<int> parse_device(const std::string& text) {
  if (text == "cpu") return std::nullopt;
  if (text == "cuda") return 0;
  int number = 0;
  const char* const end = text.data() + text.size();
  if (text.rfind("cuda:", 0) == 0) {
    const auto [next, error] = std::from_chars(text.data() + 5, end, number);
    if (error == std::errc() && next == end && number >= 0) return number;
  }
  throw Error(Status::scene, fmt::format("--device: {} is not a device", text), "write cpu, cuda or cuda:1");
}

std::optional<std::vector<double>> parse_numbers(const std::string& text, std::size_t count, char separator) {
  std::vector<double> numbers(count);
  const char *at = text.data(), *const end = at + text.size();
  const auto skip_blanks = [&] {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
  };
  for (std::size_t i = 0; i < count; ++i) {
    skip_blanks();
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc()) return std::nullopt;
    at = next;
    skip_blanks();
    if (i + 1 < count && (at == end || *at++ != separator)) return std::nullopt;
  }
  return at == end ? std::optional(numbers) : std::nullopt;
}

std::array<double, 7> parse_noise(const std::string& text) {
  constexpr double lowest = -100.0, highest = 200.0;  // dB
  const char* const remedy =
      "write seven levels in dB, of the octaves of 125, 250, 500, 1000, 2000, 4000 and 8000 Hz, as in "
      "45,40,35,30,25,22,20";
  std::array<double, 7> levels{};
  const auto numbers = parse_numbers(text, levels.size());
  if (!numbers) throw Error(Status::scene, fmt::format("--noise: {} is not a list of seven levels", text), remedy);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    levels[k] = (*numbers)[k];
    if (!(levels[k] >= lowest && levels[k] <= highest))
      throw Error(Status::scene,
                  fmt::format("--noise: {:g} is not a level from {:g} to {:g} dB", levels[k], lowest, highest), remedy);
  }
  return levels;
}

}  // namespace fdtd::cli
