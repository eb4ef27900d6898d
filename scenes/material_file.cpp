#include "scenes/material_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "scenes/document.hpp"
#include "scenes/material_keys.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_rows = 10000;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  const bool marked = line.find_first_of(",;\t") != line.npos;
  const std::string_view separators = marked ? ",;\t" : " ";
  while (!line.empty()) {
    const auto end = line.find_first_of(separators);
    std::string_view cell = line.substr(0, end);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"' || cell.back() == '\r')) cell.remove_suffix(1);
    if (marked || !cell.empty()) cells.push_back(cell);
    if (end == line.npos) break;
    line.remove_prefix(end + 1);
    if (line.empty() && marked) cells.emplace_back();
  }
  return cells;
}

std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The columns of frequency, alpha, real and imaginary; npos: none.
struct Columns {
  std::size_t frequency = std::string_view::npos, alpha = frequency, real = frequency, imaginary = frequency;
  std::size_t count = 0;
  bool absorption() const { return alpha != std::string_view::npos; }
};

std::string read_head(const std::vector<std::string_view>& cells, Columns& columns) {
  columns.count = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string name(cells[i]);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    std::size_t* const place = name == "frequency"   ? &columns.frequency
                               : name == "alpha"     ? &columns.alpha
                               : name == "real"      ? &columns.real
                               : name == "imaginary" ? &columns.imaginary
                                                     : nullptr;
    if (place == nullptr) return fmt::format("{} is not a known column", in_quotes(name));
    if (*place != std::string_view::npos) return fmt::format("the column {} appears twice", in_quotes(name));
    *place = i;
  }
  constexpr auto none = std::string_view::npos;
  const bool impedance = columns.real != none && columns.imaginary != none && columns.alpha == none;
  const bool absorption = columns.alpha != none && columns.real == none && columns.imaginary == none;
  if (columns.frequency == none || !(impedance || absorption))
    return "the first line must name the columns: frequency, alpha or frequency, real, imaginary";
  return "";
}

std::string read_row(const std::vector<std::string_view>& cells, const Columns& columns, Material& material) {
  if (cells.size() != columns.count)
    return fmt::format("{} columns instead of the {} of the first line", cells.size(), columns.count);
  std::vector<double> values;
  for (const std::string_view cell : cells) {
    const auto value = number(cell);
    if (!value) return fmt::format("{} is not a number (with a decimal point)", in_quotes(cell));
    values.push_back(*value);
  }
  const double frequency = values[columns.frequency];
  const std::vector<double>& before = columns.absorption() ? material.bands : material.impedance.frequencies;
  if (!(frequency > 0.0 && frequency <= 192000.0)) return fmt::format("{:g} Hz is not between 0 and 192000", frequency);
  if (!before.empty() && frequency <= before.back())
    return fmt::format("frequencies must increase: {:g} follows {:g} Hz", frequency, before.back());
  if (before.size() >= max_rows) return fmt::format("more than {} lines", max_rows);
  if (columns.absorption()) {
    const double alpha = values[columns.alpha];
    if (!(alpha >= 0.0 && alpha <= 1.0)) return fmt::format("alpha = {:g} is not between 0 and 1", alpha);
    material.bands.push_back(frequency);
    material.alpha.push_back(alpha);
    return "";
  }
  const double real = values[columns.real];
  if (real < 0.0) return fmt::format("a negative real part, {:g}: the wall would generate energy", real);
  material.impedance.frequencies.push_back(frequency);
  material.impedance.values.emplace_back(real, values[columns.imaginary]);
  return "";
}

std::optional<Material> read_table_file(std::string_view text, const std::string& name, std::string& why) {
  Material material;
  Columns columns;
  int line = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view one = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++line;
    while (!one.empty() && (one.back() == '\r' || one.back() == ' ')) one.remove_suffix(1);
    if (one.empty() || one.front() == '#') continue;
    const auto cells = cells_of(one);
    why = columns.count == 0 ? read_head(cells, columns) : read_row(cells, columns, material);
    if (why.empty()) continue;
    why = fmt::format("{}:{}: {}", name, line, why);
    return std::nullopt;
  }
  material.kind = columns.absorption() ? Material::Kind::absorption : Material::Kind::impedance;
  if (!material.bands.empty() || !material.impedance.frequencies.empty()) return material;
  why = name + ": no line of numbers";
  return std::nullopt;
}

std::optional<Material> read_toml_file(const std::string& text, const std::filesystem::path& file, std::string& why) {
  const std::string name = file.filename().string();
  const auto text_of = [&](const Problem& problem) {
    return fmt::format("{}:{}:{}: {}{}", name, problem.place.line, problem.place.column,
                       problem.where.empty() ? "" : problem.where + ": ", problem.message);
  };
  Problem broken;
  if (const auto bad = check_text(text)) {
    why = text_of(*bad);
    return std::nullopt;
  }
  const std::optional<Value> root = read_toml(text, broken);
  if (!root) {
    why = text_of(broken);
    return std::nullopt;
  }
  Reading reading{file.parent_path(), false, {}};
  Material material;
  read_material_of_file(material, {*root, "", reading});
  if (reading.problems.empty()) return material;
  why = text_of(reading.problems.front());
  if (reading.count() > 1) why += fmt::format("; and {} more", reading.count() - 1);
  return std::nullopt;
}

}  // namespace

std::optional<Material> read_material_file(const std::filesystem::path& file, std::string& why) {
  const auto text = read_small_file(file, why);
  if (!text) {
    why = file.filename().string() + ": " + why;
    return std::nullopt;
  }
  return file.extension() == ".toml" ? read_toml_file(*text, file, why)
                                     : read_table_file(*text, file.filename().string(), why);
}

}  // namespace fdtd
