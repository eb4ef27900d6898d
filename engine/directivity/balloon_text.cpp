// Directivities as tables of text, with a head line that names the columns, degrees, dB and Hz:
//   azimuth, elevation, 125, 250, 500, ...            levels by frequency
//   azimuth, elevation, frequency, level[, phase]     one line a frequency; phase in degrees
// Azimuth turns from the axis to the left, elevation up. Without phase all directions are in phase. A comment
// "# distance = 2" states the distance of the measurement in m.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/text_table.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/files/input_file.hpp"

namespace fdtd {
namespace {

constexpr std::uint64_t most_balloon_text = std::uint64_t{1} << 26;
constexpr const char* balloon_columns =
    "the head line names azimuth, elevation and frequencies in Hz, or azimuth, elevation, frequency, level and phase";

constexpr const char *fewer = "export fewer frequencies or directions",
                     *same_frequencies = "give every direction the same frequencies";

class BalloonTable {
 public:
  BalloonTable(const std::filesystem::path& path, const std::string& text) : path_(path), table_(text) {
    if (const std::string fault = table_encoding_fault(text); !fault.empty()) refuse(fault);
  }

  BalloonData read() {
    std::vector<std::string_view> cells;
    if (!table_.next(cells)) refuse("holds no line", balloon_columns);
    head_ = cells.size();
    read_head(cells);
    while (table_.next(cells)) {
      if (cells.size() != head_) refuse(cell_count_fault(cells.size(), head_, table_.separator()));
      add(cells);
      if (rows_.size() > most_balloon_directions)
        refuse(fmt::format("more than {} directions", most_balloon_directions), "a grid of 2 degrees is fine enough");
    }
    return whole();
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy = "") const {
    const std::string at = table_.line() > 0 ? fmt::format(":{}", table_.line()) : "";
    throw Error(Status::file, fmt::format("{}{}: {}", path_.string(), at, why), remedy);
  }

  double number(std::string_view cell, const char* what, double low, double high) const {
    const std::optional<double> x = table_number(cell);
    if (!x) refuse(fmt::format("{}: {}", what, no_number(cell)));
    if (!(*x >= low && *x <= high)) refuse(fmt::format("{} {:g} is not between {:g} and {:g}", what, *x, low, high));
    return *x;
  }

  void read_head(const std::vector<std::string_view>& cells) {
    const auto named = [&](std::size_t i, std::string_view name) {
      return i < cells.size() && cells[i].size() == name.size() &&
             std::ranges::equal(cells[i], name, [](char a, char b) { return (a | 0x20) == b; });
    };
    if (!named(0, "azimuth") || !named(1, "elevation") || cells.size() < 3)
      refuse("the columns are not those of a directivity", balloon_columns);
    long_ = named(2, "frequency");
    if (long_) {
      if (!named(3, "level") || cells.size() > 5 || (cells.size() == 5 && !named(4, "phase")))
        refuse("after frequency come level and perhaps phase", balloon_columns);
      return;
    }
    for (std::size_t i = 2; i < cells.size(); ++i) {
      frequencies_.push_back(number(cells[i], "frequency", 1.0, 1e5));
      if (i > 2 && !(frequencies_[i - 2] > frequencies_[i - 3]))
        refuse("the frequencies do not increase", "write their columns from low to high, each once");
    }
  }

  void add(const std::vector<std::string_view>& cells) {
    const std::pair<double, double> direction = {number(cells[0], "azimuth", -360.0, 360.0),
                                                 number(cells[1], "elevation", -90.0, 90.0)};
    std::map<double, std::complex<double>>& row = rows_[direction];
    const auto put = [&](double frequency, std::string_view level, double phase) {
      const double pressure = std::pow(10.0, number(level, "level", -300.0, 300.0) / 20.0);
      if (!row.emplace(frequency, std::polar(pressure, phase * std::numbers::pi / 180.0)).second)
        refuse(fmt::format("azimuth {:g}, elevation {:g} appears twice{}", direction.first, direction.second,
                           long_ ? fmt::format(" at {:g} Hz", frequency) : ""),
               "write each direction once");
      if (++values_ > most_balloon_values) refuse(fmt::format("more than {} values", most_balloon_values), fewer);
    };
    if (long_)
      return put(number(cells[2], "frequency", 1.0, 1e5), cells[3],
                 head_ == 5 ? number(cells[4], "phase", -1e6, 1e6) : 0.0);
    for (std::size_t i = 2; i < cells.size(); ++i) put(frequencies_[i - 2], cells[i], 0.0);
  }

  BalloonData whole() {
    if (rows_.size() < 2)
      refuse("holds fewer than 2 directions", "write a line for each direction, all round the source");
    if (long_)
      for (const auto& [frequency, value] : rows_.begin()->second) frequencies_.push_back(frequency);
    BalloonData data;
    data.kind = "table";
    const std::vector<std::size_t> used = used_frequencies(frequencies_);
    for (const std::size_t k : used) data.frequencies.push_back(frequencies_[k]);
    for (const auto& [at, row] : rows_) {
      const double azimuth = at.first * std::numbers::pi / 180.0, elevation = at.second * std::numbers::pi / 180.0;
      data.directions.push_back(
          {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth), std::sin(elevation)});
      if (row.size() != frequencies_.size())
        refuse(fmt::format("azimuth {:g}, elevation {:g} has {} frequenc{}, others {}", at.first, at.second, row.size(),
                           row.size() == 1 ? "y" : "ies", frequencies_.size()),
               same_frequencies);
      for (const double frequency : data.frequencies) {
        const auto value = row.find(frequency);
        if (value == row.end())
          refuse(fmt::format("azimuth {:g}, elevation {:g} lacks {:g} Hz", at.first, at.second, frequency),
                 same_frequencies);
        data.values.push_back(value->second);
      }
    }
    return data;
  }

  std::filesystem::path path_;
  TextTable table_;
  std::size_t head_ = 0, values_ = 0;
  bool long_ = false;
  std::vector<double> frequencies_;
  std::map<std::pair<double, double>, std::map<double, std::complex<double>>> rows_;
};

// Of a comment "# distance = 2"; 0: none.
double distance_in(const std::string& text, const std::filesystem::path& path) {
  for (std::size_t at = 0; at < text.size();
       at = text.find('\n', at) == text.npos ? text.size() : text.find('\n', at) + 1) {
    if (text[at] != '#') continue;
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const std::size_t word = line.find("distance"), equals = line.find('=');
    if (word == line.npos || equals == line.npos || equals < word) continue;
    std::string_view number(line);
    number.remove_prefix(equals + 1);
    const std::size_t first = number.find_first_not_of(" \t"), last = number.find_first_of(" \tm\r", first);
    const std::optional<double> x = first == number.npos
                                        ? std::nullopt
                                        : table_number(number.substr(first, last == number.npos ? last : last - first));
    if (!x || !(*x >= 0.01 && *x <= 1000.0))
      throw Error(Status::file,
                  fmt::format("{}: {} is no distance from 0.01 to 1000 m", path.string(), in_quotes(line)));
    return *x;
  }
  return 0.0;
}

}  // namespace

BalloonData read_balloon_text(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.size() > most_balloon_text)
    throw Error(Status::file,
                fmt::format("{}: {} bytes are more than {}", path.string(), file.size(), most_balloon_text));
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, text.data(), text.size());
  if (is_clf_text(text)) return read_clf_text(path, text);
  BalloonData data = BalloonTable(path, text).read();
  data.distance = distance_in(text, path);
  return data;
}

}  // namespace fdtd
