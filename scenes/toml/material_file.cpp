#include "scenes/toml/material_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "scenes/toml/document.hpp"
#include "scenes/toml/material_kinds.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_rows = 10000;

// The separator of a line's cells. Semicolons and tabs come first: in their files a comma is a decimal one.
char separator_of(std::string_view line) {
  for (const char one : {';', '\t', ','})
    if (line.find(one) != line.npos) return one;
  return ' ';
}

std::string_view bare_cell(std::string_view cell) {
  constexpr std::string_view blank = " \t\"\r";
  const auto begin = cell.find_first_not_of(blank), end = cell.find_last_not_of(blank);
  return begin == cell.npos ? std::string_view() : cell.substr(begin, end - begin + 1);
}

// A separator in quotes parts nothing.
std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != separator)) continue;
    const std::string_view cell = bare_cell(line.substr(begin, i - begin));
    if (separator != ' ' || !cell.empty()) cells.push_back(cell);
    begin = i + 1;
  }
  return cells;
}

// With a decimal point, or one decimal comma where commas part no cells.
std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string with_point(text);
  if (std::ranges::count(text, ',') == 1 && text.find('.') == text.npos) with_point[text.find(',')] = '.';
  double value = 0.0;
  const char* const last = with_point.data() + with_point.size();
  const auto [end, error] = std::from_chars(with_point.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

// "1,000" and "1.000" may be one or a thousand.
bool like_thousands(std::string_view cell) {
  const auto mark = cell.find_first_of(",.");
  return mark != cell.npos && mark >= 1 && mark <= 3 && cell.size() - mark == 4 && cell.front() != '0';
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
    if (place == nullptr)
      return fmt::format("{} is not a known column: {}", in_quotes(name),
                         number(name) ? "the first line names them, frequency, alpha or frequency, real, imaginary"
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
  if (cells.size() != columns.count)
    return fmt::format(
        "{} columns instead of the {} of the first line{}", cells.size(), columns.count,
        separator == ',' && cells.size() > columns.count
            ? ": commas part columns; write decimals with a point, as in 0.45, or part columns by semicolons"
            : "");
  std::vector<double> values;
  for (const std::string_view cell : cells) {
    const auto value = number(cell);
    if (!value) {
      const bool per_cent = cell.ends_with('%') && number(bare_cell(cell.substr(0, cell.size() - 1)));
      return fmt::format("{} is not a number{}", in_quotes(cell),
                         per_cent ? ": divide per cent by 100, as in 0.45"
                                  : ": write it with a decimal point, without spaces or units");
    }
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
  int line = 0;
  struct {
    int line = 0;  // of the first coefficient above 1
    double alpha = 0.0, largest = 0.0;
  } above;
  bool blanks = false;  // part the columns of the first line
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    why = name + ": UTF-16 text: save it as UTF-8";
    return std::nullopt;
  }
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view one = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++line;
    while (!one.empty() && (one.back() == '\r' || one.back() == ' ')) one.remove_suffix(1);
    if (one.empty() || one.front() == '#' || (columns.count == 0 && one.starts_with("sep="))) continue;
    char separator = separator_of(one);
    if (columns.count == 0) blanks = separator == ' ';
    if (blanks && separator == ',') separator = ' ';
    const auto cells = cells_of(one, separator);
    why = columns.count == 0 ? read_head(cells, columns) : read_row(cells, separator, columns, material);
    if (why.empty() && columns.absorption() && !material.alpha.empty() && material.alpha.back() > 1.0) {
      if (above.line == 0) above.line = line, above.alpha = material.alpha.back();
      above.largest = std::max(above.largest, material.alpha.back());
    }
    if (why.empty()) continue;
    why = fmt::format("{}:{}: {}", name, line, why);
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
