#include "cli/sweep/sweep_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "scenes/toml/document.hpp"

namespace fdtd::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string unclosed(std::string_view text) {
  std::string wanted;  // the brackets to come, innermost last
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      wanted += c == '[' ? ']' : c == '{' ? '}' : ')';
    } else if (c == ']' || c == '}' || c == ')') {
      if (wanted.empty() || wanted.back() != c) return fmt::format("a {} that closes nothing", c);
      wanted.pop_back();
    }
  }
  if (quote != 0) return fmt::format("a quote {} is not closed", quote);
  return wanted.empty() ? "" : fmt::format("a bracket is not closed: {} is missing", wanted.back());
}

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

std::size_t end_of_key(std::string_view text) {
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quote != 0)
      quote = text[at] == quote ? 0 : quote;
    else if (text[at] == '"' || text[at] == '\'')
      quote = text[at];
    else if (text[at] == '=')
      return at;
  }
  return text.npos;
}

namespace {

struct KeyValue {
  std::string key, value;
};

KeyValue key_and_value(const char* option, const std::string& text, const char* example) {
  const std::size_t equals = end_of_key(text);
  if (equals == text.npos || trimmed(text.substr(0, equals)).empty())
    throw Error(Status::scene, fmt::format("{} {}: needs a key, \"=\" and a value", option, text), example);
  const std::string wrong = unclosed(std::string_view(text).substr(equals + 1));
  if (!wrong.empty()) throw Error(Status::scene, fmt::format("{} {}: {}", option, text, wrong), example);
  return {trimmed(text.substr(0, equals)), text.substr(equals + 1)};
}

[[noreturn]] void too_many(std::size_t max_points) {
  throw Error(Status::scene, fmt::format("these values give more than {} runs", max_points),
              "sweep over fewer values at a time");
}

// The points of `more` for each of `points`.
std::vector<SweepPoint> product(const std::vector<SweepPoint>& points, const std::vector<SweepPoint>& more,
                                std::size_t max_points) {
  if (!points.empty() && more.size() > max_points / points.size()) too_many(max_points);
  std::vector<SweepPoint> all;
  for (const SweepPoint& point : points)
    for (const SweepPoint& one : more) {
      all.push_back(point);
      all.back().insert(all.back().end(), one.begin(), one.end());
    }
  return all;
}

std::vector<std::string> values_of(const char* option, const std::string& text, const KeyValue& of) {
  std::vector<std::string> values = list_elements(of.value);
  if (values.empty())
    throw Error(Status::scene, fmt::format("{} {}: the list is empty", option, text), "give it a value");
  return values;
}

std::vector<SweepPoint> points_in_step(const std::vector<std::string>& zips) {
  std::vector<SweepPoint> points;
  for (const std::string& zip : zips) {
    const KeyValue of = key_and_value("--zip", zip, "write --zip room.box='[[5, 4, 3], [6, 4, 3]]'");
    const std::vector<std::string> values = values_of("--zip", zip, of);
    if (points.empty()) points.resize(values.size());
    if (values.size() != points.size())
      throw Error(
          Status::scene,
          fmt::format("--zip {}: {} values, but the lists before have {}", of.key, values.size(), points.size()),
          "lists in step are of one length; --set gives every combination");
    for (std::size_t i = 0; i < values.size(); ++i) points[i].push_back(of.key + "=" + values[i]);
  }
  return points;
}

// ---- tables -------------------------------------------------------------------------------------------------------
// RFC 4180: cells in quotes may hold commas, and quotes twice; cells without are trimmed. A line ends at its end.
// Nothing, and `wrong`, for a quote that is not closed there, or that more text follows.
std::vector<std::string> cells_of(const std::string& line, std::string& wrong) {
  std::vector<std::string> cells;
  for (std::size_t at = 0;; ++at) {
    std::string cell;
    at = std::min(line.find_first_not_of(" \t", at), line.size());
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        cell += line[at];
      }
      if (at >= line.size()) wrong = "a quote \" is not closed in its line";
      const std::size_t end = std::min(line.find(',', std::min(at, line.size())), line.size());
      if (wrong.empty() && !trimmed(line.substr(at + 1, end - at - 1)).empty())
        wrong = fmt::format("text after the quote that closes {}", in_quotes(cell));
      if (!wrong.empty()) return {};
      at = end;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = trimmed(line.substr(at, end - at));
      at = end;
    }
    cells.push_back(cell);
    if (at >= line.size()) return cells;
  }
}

std::vector<SweepPoint> points_of_table(const std::string& file, std::size_t max_points) {
  std::string why;
  const std::optional<std::string> read = read_small_file(file, why);
  if (!read) throw Error(Status::scene, fmt::format("{}: {}", file, why), "--list takes a CSV file, a line a run");
  const std::string& text = *read;
  std::vector<std::string> keys;
  std::vector<SweepPoint> points;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (trimmed(line).empty()) continue;
    std::string wrong;
    const std::vector<std::string> cells = cells_of(line, wrong);
    const auto refuse = [&](const std::string& what) {
      throw Error(Status::scene, fmt::format("{}:{}: {}", file, number, what),
                  "the first line holds keys, as room.box; every other one a value for each, in quotes where it holds "
                  "a comma");
    };
    if (!wrong.empty()) refuse(wrong);
    if (keys.empty()) {
      keys = cells;
      for (const std::string& key : keys)
        if (key.empty() || key.find('=') != key.npos) refuse("a key is empty or holds \"=\"");
      continue;
    }
    if (cells.size() != keys.size()) refuse(fmt::format("{} values for {} keys", cells.size(), keys.size()));
    if (points.size() == max_points) too_many(max_points);
    SweepPoint point;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (cells[k].empty()) refuse(fmt::format("no value for {}", keys[k]));
      if (const std::string open = unclosed(cells[k]); !open.empty())
        refuse(fmt::format("the value of {}: {}", keys[k], open));
      point.push_back(keys[k] + "=" + cells[k]);
    }
    points.push_back(std::move(point));
  }
  if (points.empty()) throw Error(Status::scene, fmt::format("{}: holds no runs", file), "write a line for each");
  return points;
}

// ---- draws --------------------------------------------------------------------------------------------------------
// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: the same numbers
// with every compiler and library.
class Random {
 public:
  Random(std::uint64_t seed, const std::string& key, int run) : state_(seed) {
    for (const char c : key) state_ = mixed(state_ ^ static_cast<unsigned char>(c));
    state_ = mixed(state_ + static_cast<std::uint64_t>(run));
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  std::uint64_t below(std::uint64_t count) { return static_cast<std::uint64_t>(unit() * static_cast<double>(count)); }
  // G. E. P. Box, M. E. Muller, Ann. Math. Stat. 29 (1958).
  double normal() {
    const double u = 1.0 - unit(), v = unit();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  std::uint64_t state_;
};

class DrawnValue {
 public:
  DrawnValue(const std::string& key, const std::string& text) : key_(key), text_(text) {}
  // The text with a number or element in place of every distribution outside quotes; `drawn`: how many there were.
  std::string draw(Random random, int& drawn) const {
    std::string made;
    char quote = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != 0 || c == '"' || c == '\'') {
        quote = quote == 0 ? c : quote == c ? '\0' : quote;
        made += c;
        continue;
      }
      const std::size_t name_end = text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
      const bool fresh = at == 0 || !(std::isalnum(static_cast<unsigned char>(text_[at - 1])) || text_[at - 1] == '-');
      if (fresh && name_end != text_.npos && name_end > at && text_[name_end] == '(') {
        const std::size_t end = closing(name_end);
        made += one(text_.substr(at, name_end - at),
                    list_elements("[" + text_.substr(name_end + 1, end - name_end - 1) + "]"), random);
        ++drawn;
        at = end;
        continue;
      }
      made += c;
    }
    return made;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Status::scene, fmt::format("--draw {}={}: {}", key_, text_, what),
                "distributions are uniform(a, b), log_uniform(a, b), normal(mean, sigma), integer(a, b) and "
                "choice([a, b, ...])");
  }
  std::size_t closing(std::size_t open) const {
    std::string wanted;  // the brackets to come, innermost last
    for (std::size_t at = open; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '(' || c == '[') wanted += c == '(' ? ')' : ']';
      if (c != ')' && c != ']') continue;
      if (wanted.empty() || wanted.back() != c) break;
      wanted.pop_back();
      if (wanted.empty()) return at;
    }
    refuse("a bracket is not closed");
  }
  double number(const std::string& text) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(std::abs(value) < 1e15))
      refuse(fmt::format("\"{}\" is not a number", text));
    return value;
  }
  std::string one(const std::string& name, const std::vector<std::string>& arguments, Random& random) const {
    if (name == "choice") {
      const std::vector<std::string> list = arguments.size() == 1 ? list_elements(arguments[0]) : arguments;
      if (list.empty()) refuse("choice() of nothing");
      return list[random.below(list.size())];
    }
    if (name != "uniform" && name != "log_uniform" && name != "normal" && name != "integer")
      refuse(fmt::format("there is no distribution {}", name));
    if (arguments.size() != 2) refuse(fmt::format("{} takes two numbers", name));
    const double a = number(arguments[0]), b = number(arguments[1]);
    if (name == "normal") {
      if (!(b >= 0.0)) refuse("the deviation of normal() is negative");
      return fmt::format("{:.6g}", a + b * random.normal());
    }
    if (!(a <= b)) refuse(fmt::format("{}: {:g} is above {:g}", name, a, b));
    if (name == "uniform") return fmt::format("{:.6g}", a + (b - a) * random.unit());
    if (name == "log_uniform") {
      if (!(a > 0.0)) refuse("log_uniform() needs bounds above 0");
      return fmt::format("{:.6g}", a * std::pow(b / a, random.unit()));
    }
    if (a != std::floor(a) || b != std::floor(b)) refuse("integer() needs whole bounds");
    return fmt::format("{:.0f}", a + static_cast<double>(random.below(static_cast<std::uint64_t>(b - a) + 1)));
  }
  const std::string &key_, &text_;
};

std::vector<SweepPoint> drawn_points(const SweepValues& values, std::size_t max_points) {
  if (static_cast<std::size_t>(values.runs) > max_points) too_many(max_points);
  std::vector<SweepPoint> points(static_cast<std::size_t>(values.runs));
  for (const std::string& text : values.draws) {
    const KeyValue of = key_and_value("--draw", text, "write --draw room.box='[uniform(4, 8), uniform(3, 6), 3]'");
    const DrawnValue value(of.key, of.value);
    for (std::size_t run = 0; run < points.size(); ++run) {
      int drawn = 0;
      points[run].push_back(of.key + "=" + value.draw({values.seed, of.key, static_cast<int>(run)}, drawn));
      if (drawn == 0)
        throw Error(Status::scene, fmt::format("--draw {}: holds no distribution", text),
                    "uniform(a, b), for one; --set gives a fixed value");
    }
  }
  return points;
}

void check_keys(const SweepPoint& point) {
  std::set<std::string> keys;
  for (const std::string& one : point) {
    const std::string key = one.substr(0, end_of_key(one));
    if (!keys.insert(key).second)
      throw Error(Status::scene, fmt::format("the key {} is given twice", key), "each key has its values in one place");
  }
}

}  // namespace

namespace {

// {"materials", "a.b", "scattering"} of `materials."a.b".scattering`; nothing of text that is no key.
std::vector<std::string> parts_of(const std::string& key) {
  Value root;
  std::vector<Problem> problems;
  apply_override(root, {key + "=0"}, 1, problems);
  std::vector<std::string> parts;
  for (const Value* at = &root; problems.empty() && at->entries.size() == 1; at = &at->entries.front().value)
    parts.push_back(at->entries.front().key);
  return parts;
}

bool touches_no_wave(const std::vector<std::string>& key) {
  if (key.empty()) return false;
  const auto part = [&](std::size_t i) { return i < key.size() ? key[i] : ""; };
  return key[0] == "above" || (key[0] == "materials" && part(2) == "scattering") ||
         key == std::vector<std::string>{"air", "absorption"} ||
         (key[0] == "output" && key.size() > 1 && key[1] != "snapshots");
}

// An inline table without its element `scattering`; any other value as it is.
std::string without_scattering(const std::string& value) {
  const std::string table = trimmed(value);
  if (table.size() < 2 || table.front() != '{' || table.back() != '}') return value;
  std::string rest;
  for (const std::string& one : list_elements("[" + table.substr(1, table.size() - 2) + "]"))
    if (trimmed(one).rfind("scattering", 0) != 0) rest += (rest.empty() ? "" : ", ") + one;
  return "{" + rest + "}";
}

}  // namespace

std::string wave_overrides(const SweepPoint& point) {
  std::string text;
  for (const std::string& one : point) {
    const std::string key = one.substr(0, end_of_key(one));
    const std::vector<std::string> parts = parts_of(key);
    if (touches_no_wave(parts)) continue;
    const bool material = parts.size() > 1 && parts[0] == "materials";
    text += key + "=" + (material ? without_scattering(one.substr(key.size() + 1)) : one.substr(key.size() + 1)) + "\n";
  }
  return text;
}

std::vector<SweepPoint> sweep_points(const SweepValues& values, std::size_t max_points) {
  if (values.draws.empty() != (values.runs == 0))
    throw Error(Status::scene, "--draw and --runs go together",
                "write --draw KEY='uniform(a, b)' for what is drawn, and --runs N for how often");
  std::vector<SweepPoint> points = {{}};
  for (const std::string& set : values.sets) {
    const KeyValue of = key_and_value("--set", set, "write --set room.box='[[5, 4, 3], [6, 4, 3]]'");
    std::vector<SweepPoint> more;
    for (const std::string& value : values_of("--set", set, of)) more.push_back({of.key + "=" + value});
    points = product(points, more, max_points);
  }
  if (!values.zips.empty()) points = product(points, points_in_step(values.zips), max_points);
  if (!values.table.empty()) points = product(points, points_of_table(values.table, max_points), max_points);
  if (!values.draws.empty()) points = product(points, drawn_points(values, max_points), max_points);
  check_keys(points.front());
  return points;
}

}  // namespace fdtd::cli
