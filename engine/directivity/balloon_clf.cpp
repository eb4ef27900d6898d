// Directivities in the text form of the Common Loudspeaker Format (CLF Group, clfgroup.org), from which its binary files
// CF1 and CF2 are made: lines of cells between tabs.
//   <CLF1> in steps of 10 degrees, or <CLF2> of 5, first
//   <KEYWORD> value ...                  of which the balloon needs those below
//   <BAND> frequency                     then a line for each arc: levels in dB from the front to the back
// Levels of another <SIGN> than <actual> are refused.
// Arc phi passes the top of the loudspeaker at 0 degrees and turns clockwise as seen from the front, or the other way round
// where <BALLOON-ARC-ORDER> is <reversed>. With <BALLOON-SYMMETRY> <horizontal> the arcs end at the bottom, with <full> at
// the side, with <rotational> there is one; with <RADIATION> <halfsphere> they end at the side, and what is behind mirrors
// what is in front, as of a loudspeaker flush in a wall. All directions are in phase: the phases of version 2 are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "base/lower_case.hpp"
#include "base/problem.hpp"
#include "base/text_table.hpp"
#include "engine/directivity/balloon_data.hpp"

namespace fdtd {
namespace {

using Arc = std::vector<double>;  // dB by polar angle

constexpr double most_at_a_pole = 1.0;  // dB, by which arcs differ on the axis

std::string_view trimmed(std::string_view cell) {
  const std::string_view around = " \r\"";
  const std::size_t first = cell.find_first_not_of(around);
  if (first == cell.npos) return {};
  return cell.substr(first, cell.find_last_not_of(around) - first + 1);
}

class ClfText {
 public:
  ClfText(const std::filesystem::path& path, std::string_view text) : path_(path), rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  BalloonData read() {
    std::vector<std::string_view> cells;
    std::vector<Arc>* band = nullptr;  // whose arcs follow
    while (next(cells)) {
      if (cells.front().starts_with('<'))
        band = keyword(cells);
      else if (band != nullptr)
        add(cells, *band);
    }
    return whole();
  }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy = "") const {
    const std::string at = line_ > 0 ? fmt::format(":{}", line_) : "";
    throw Error(Status::file, fmt::format("{}{}: {}", path_.string(), at, why), remedy);
  }

  // The cells of the next line that has any, without comments.
  bool next(std::vector<std::string_view>& cells) {
    cells.clear();
    while (cells.empty() && !rest_.empty()) {
      ++line_;
      std::string_view line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
      while (!line.empty()) {
        const std::string_view cell = line.substr(0, line.find('\t'));
        line.remove_prefix(std::min(line.size(), cell.size() + 1));
        if (trimmed(cell).starts_with('#')) break;
        if (!trimmed(cell).empty()) cells.push_back(trimmed(cell));
      }
    }
    return !cells.empty();
  }

  double number(std::string_view cell, const char* what, double low, double high) const {
    const std::optional<double> x = table_number(cell);
    if (!x) refuse(fmt::format("{}: {}", what, no_number(cell)));
    if (!(*x >= low && *x <= high)) refuse(fmt::format("{} {:g} is not between {:g} and {:g}", what, *x, low, high));
    return *x;
  }

  // The band whose arcs follow, if any do.
  std::vector<Arc>* keyword(const std::vector<std::string_view>& cells) {
    const std::string key = lower_case(cells.front()), value = cells.size() > 1 ? lower_case(cells[1]) : "";
    if (key == "<clf1>") step_ = 10;
    if (key == "<clf2>") step_ = 5;
    if (key == "<radiation>") half_ = one_of(value, {"<fullsphere>", "<halfsphere>"}, key) == 1;
    if (key == "<balloon-symmetry>")
      symmetry_ = one_of(value, {"<none>", "<horizontal>", "<full>", "<rotational>"}, key,
                         "export a balloon without symmetry, of all directions");
    read_sign(cells);
    if (key == "<balloon-arc-order>") read_order(cells);
    if (key == "<measurement-distance>" && !value.empty() && value != "<nodata>")
      distance_ = number(cells[1], "distance", 0.01, 1000.0);
    if (key != "<band>") return nullptr;
    if (cells.size() < 2) refuse("<BAND> without its frequency in Hz");
    const auto [band, added] = bands_.try_emplace(number(cells[1], "frequency", 1.0, 1e5));
    if (!added) refuse(fmt::format("the band of {:g} Hz appears twice", band->first));
    return &band->second;
  }

  std::size_t one_of(const std::string& value, const std::vector<std::string>& known, const std::string& key,
                     const std::string& remedy = "") const {
    const auto at = std::ranges::find(known, value);
    if (at == known.end())
      refuse(fmt::format("{} {} is not one of {}", key, in_quotes(value), fmt::join(known, ", ")), remedy);
    return static_cast<std::size_t>(at - known.begin());
  }

  // On a line of its own, or after <BALLOON-REF> on the same: attenuations have the other sign.
  void read_sign(const std::vector<std::string_view>& cells) const {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (lower_case(cells[i]) == "<sign>")
        one_of(i + 1 < cells.size() ? lower_case(cells[i + 1]) : "", {"<actual>"}, "<sign>",
               "export levels, which are lower where the loudspeaker is less loud");
  }

  void read_order(const std::vector<std::string_view>& cells) {
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::optional<double> turned = table_number(cells[i]);
      if (turned && *turned == 0.0) continue;
      if (turned)
        refuse(fmt::format("arcs that begin {:g} degrees from the top are not read", *turned),
               "export them with the first arc through the top");
      reversed_ = one_of(lower_case(cells[i]), {"<default>", "<normal>", "<reversed>"}, "<balloon-arc-order>") == 2;
    }
  }

  std::size_t around() const { return 360 / static_cast<std::size_t>(step_); }
  std::size_t angles() const { return (half_ ? 90 : 180) / static_cast<std::size_t>(step_) + 1; }

  void add(const std::vector<std::string_view>& cells, std::vector<Arc>& band) {
    if (step_ == 0) refuse("the first line is neither <CLF1> nor <CLF2>");
    if (band.size() == around()) refuse(fmt::format("a band of more than {} arcs", around()));
    if (cells.size() != angles())
      refuse(fmt::format("an arc of {} levels, where steps of {} degrees make {}", cells.size(), step_, angles()));
    Arc& arc = band.emplace_back();
    for (const std::string_view cell : cells) arc.push_back(number(cell, "level", -300.0, 300.0));
  }

  // The arc of the file at place i of all around.
  std::size_t stored(std::size_t i, std::size_t arcs) const {
    const std::size_t n = around(), half = n / 2;
    if (arcs == n) return reversed_ ? (n - i) % n : i;
    if (arcs == 1) return 0;
    const std::size_t side = i <= half ? i : n - i;  // left as right
    return arcs == half + 1 ? side : std::min(side, half - side);
  }

  void check(double frequency, const std::vector<Arc>& band) const {
    const std::size_t n = around();
    const std::vector<std::size_t> wanted = {n, n / 2 + 1, n / 4 + 1, 1};
    if (band.size() != wanted[symmetry_] && band.size() != n)
      refuse(fmt::format("the band of {:g} Hz has {} arcs, where its symmetry and steps of {} degrees make {}",
                         frequency, band.size(), step_, wanted[symmetry_]));
    for (const std::size_t at : {std::size_t{0}, angles() - 1}) {
      if (at > 0 && half_) continue;
      const auto [low, high] = std::ranges::minmax(band, {}, [at](const Arc& arc) { return arc[at]; });
      if (high[at] - low[at] > most_at_a_pole)
        refuse(fmt::format("at {:g} Hz the arcs differ by {:.1f} dB {} the loudspeaker, where they meet", frequency,
                           high[at] - low[at], at == 0 ? "in front of" : "behind"));
    }
  }

  BalloonData whole() {
    if (step_ == 0) refuse("the first line is neither <CLF1> nor <CLF2>");
    line_ = 0;
    if (bands_.empty()) refuse("holds no <BAND>");
    BalloonData data;
    data.kind = "CLF";
    data.distance = distance_;
    std::vector<double> all;
    for (const auto& [frequency, band] : bands_) {
      check(frequency, band);
      all.push_back(frequency);
    }
    for (const std::size_t k : used_frequencies(all)) data.frequencies.push_back(all[k]);
    const std::size_t last = 180 / static_cast<std::size_t>(step_), n = around();
    for (std::size_t angle = 0; angle <= last; ++angle)
      for (std::size_t i = 0; i < (angle == 0 || angle == last ? 1 : n); ++i) add_direction(angle, i, data);
    return data;
  }

  void add_direction(std::size_t angle, std::size_t i, BalloonData& data) const {
    const double degree = std::numbers::pi / 180.0;
    const double polar = static_cast<double>(step_) * static_cast<double>(angle) * degree,
                 turn = static_cast<double>(step_) * static_cast<double>(i) * degree;
    data.directions.push_back({std::cos(polar), std::sin(polar) * std::sin(turn), std::sin(polar) * std::cos(turn)});
    const std::size_t place = half_ ? std::min(angle, 180 / static_cast<std::size_t>(step_) - angle) : angle;
    for (const double frequency : data.frequencies) {
      const std::vector<Arc>& band = bands_.at(frequency);
      data.values.push_back(std::pow(10.0, band[stored(i, band.size())][place] / 20.0));
    }
  }

  std::filesystem::path path_;
  std::string_view rest_;
  int line_ = 0, step_ = 0;  // degrees; 0: not yet known
  bool half_ = false, reversed_ = false;
  std::size_t symmetry_ = 0;
  double distance_ = 0.0;
  std::map<double, std::vector<Arc>> bands_;
};

}  // namespace

bool is_clf_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n')), begin = trimmed(line.substr(0, line.find('\t')));
    if (!begin.empty() && !begin.starts_with('#')) return lower_case(begin.substr(0, 4)) == "<clf";
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

BalloonData read_clf_text(const std::filesystem::path& path, std::string_view text) {
  return ClfText(path, text).read();
}

}  // namespace fdtd
