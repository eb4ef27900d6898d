#include "scenes/toml/material_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text_table.hpp"
#include "scenes/toml/document.hpp"
#include "scenes/toml/material_kinds.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_rows = 10000;

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
    if (place == nullptr)
      return fmt::format("{} is not a known column: {}", in_quotes(name),
                         table_number(name)
                             ? "the first line names them, frequency, alpha or frequency, real, imaginary"
                             : "they are frequency, alpha or frequency, real, imaginary");
    if (*place != std::string_view::npos) return fmt::format("the column {} appears twice", in_quotes(name));
    *place = i;
  }
  constexpr auto none = std::string_view::npos;
  const bool impedance = columns.real != none && columns.imaginary != none && columns.alpha == none;
  const bool absorption = columns.alpha != none && columns.real == none && columns.imaginary == none;
  if (columns.frequency != none && (impedance || absorption)) return "";
  std::string found;
  for (const std::string_view cell : cells) found += (found.empty() ? "" : ", ") + in_quotes(cell);
  return fmt::format("the first line must name the columns frequency, alpha or frequency, real, imaginary; it has {}",
                     found);
}

std::string read_row(const std::vector<std::string_view>& cells, char separator, const Columns& columns,
                     Material& material) {
  if (cells.size() != columns.count) return cell_count_fault(cells.size(), columns.count, separator);
  std::vector<double> values;
  for (const std::string_view cell : cells) {
    const auto value = table_number(cell);
    if (!value) return no_number(cell);
    values.push_back(*value);
  }
  const bool decimal_commas =
      std::ranges::any_of(cells, [](std::string_view cell) { return cell.find(',') != cell.npos; });
  if (const std::string_view cell = cells[columns.frequency]; decimal_commas && like_thousands(cell))
    return fmt::format("{} Hz may be {:g} or a thousand times as much: write it without a mark", in_quotes(cell),
                       values[columns.frequency]);
  const double frequency = values[columns.frequency];
  const std::vector<double>& before = columns.absorption() ? material.bands : material.impedance.frequencies;
  if (!(frequency > 0.0 && frequency <= 192000.0)) return fmt::format("{:g} Hz is not between 0 and 192000", frequency);
  if (!before.empty() && frequency <= before.back())
    return fmt::format("frequencies must increase: {:g} follows {:g} Hz{}", frequency, before.back(),
                       like_thousands(cells[columns.frequency]) ? "; a thousand is written 1000, without a mark" : "");
  if (before.size() >= max_rows) return fmt::format("more than {} lines", max_rows);
  if (columns.absorption()) {
    const double alpha = values[columns.alpha];
    if (alpha < 0.0) return fmt::format("alpha = {:g} is not between 0 and 1", alpha);
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
  struct {
    int line = 0;  // of the first coefficient above 1
    double alpha = 0.0, largest = 0.0;
  } above;
  if (std::string fault = table_encoding_fault(text); !fault.empty()) {
    why = name + ": " + fault;
    return std::nullopt;
  }
  TextTable table(text);
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    why = columns.count == 0 ? read_head(cells, columns) : read_row(cells, table.separator(), columns, material);
    if (why.empty() && columns.absorption() && !material.alpha.empty() && material.alpha.back() > 1.0) {
      if (above.line == 0) above.line = table.line(), above.alpha = material.alpha.back();
      above.largest = std::max(above.largest, material.alpha.back());
    }
    if (why.empty()) continue;
    why = fmt::format("{}:{}: {}", name, table.line(), why);
    return std::nullopt;
  }
  if (above.line > 0) {
    why = fmt::format("{}:{}: alpha = {:g} is not between 0 and 1: {}", name, above.line, above.alpha,
                      hint_above_one(above.largest));
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
  const At table{*root, "", reading};
  read_table(material, table, material_kinds());
  exactly_one(table, names(material_kinds()));
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
