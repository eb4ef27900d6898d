#include "base/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/lower_case.hpp"
#include "base/utf8.hpp"

namespace fdtd {
namespace {

constexpr std::size_t shown_columns = 68;  // of a source line: with its number it fits 80
constexpr std::size_t lead_columns = 34;   // of these before the caret, when the line is cut

// At most `limit` characters and twice as many bytes of `text`, safe for a terminal.
std::string escaped(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const Glyph glyph = glyph_at(text, at);
    const std::string piece = printable(glyph, text.substr(at, glyph.bytes));
    if (count == limit || out.size() + piece.size() > 2 * limit) return out + "...";
    out += piece;
    at += glyph.bytes;
  }
  return out;
}

// The largest number of bytes up to `limit` that ends between two characters.
std::size_t whole_characters(std::string_view text, std::size_t limit) {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return limit;
}

std::string_view line_of(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped) {
    const auto end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

// The byte at which character number `column` (1-based) of `line` begins.
std::size_t byte_of_column(std::string_view line, int column) {
  std::size_t at = 0;
  while (column > 1 && at < line.size()) {
    ++at;
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) ++at;
    --column;
  }
  return at;
}

// Bytes of the value or key that begins `text`: to the closing quote or bracket, or to the end of a word.
std::size_t token_bytes(std::string_view text) {
  if (text.empty()) return 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size() && i < shown_columns; ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
      if (quote == 0 && depth == 0) return i + 1;
      continue;
    }
    if (c == '"' || c == '\'') {
      if (i > 0 && depth == 0) return i;
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth <= 1) return depth == 1 ? i + 1 : std::max<std::size_t>(i, 1);
      --depth;
    } else if (depth == 0 && i > 0 && c == '.' && i + 1 < text.size() && (text[i + 1] < '0' || text[i + 1] > '9')) {
      return i;  // a part of a dotted key
    } else if (depth == 0 && (c == ',' || c == '=' || c == '#' || c == ' ' || c == '\t')) {
      return std::max<std::size_t>(i, 1);
    }
  }
  return std::min(text.size(), shown_columns);
}

// The line with a caret under `column`, cut to a window around it.
std::string marked(std::string_view line, int column, int width, std::string_view gutter) {
  const std::size_t caret = byte_of_column(line, column);
  const std::size_t end =
      width > 0 ? byte_of_column(line.substr(caret), width + 1) + caret : caret + token_bytes(line.substr(caret));
  std::size_t from = 0;
  if (static_cast<std::size_t>(column) > shown_columns - 20) {
    from = byte_of_column(line, column - static_cast<int>(lead_columns));
  }
  std::string shown_line = from > 0 ? "..." : "";
  std::size_t columns = shown_line.size(), caret_at = columns, caret_end = columns;
  std::size_t at = from;
  while (at < line.size() && columns < shown_columns) {
    if (at == caret) caret_at = columns;
    const Glyph glyph = glyph_at(line, at);
    const std::string piece = glyph.code == U'\t' ? " " : printable(glyph, line.substr(at, glyph.bytes));
    shown_line += piece;
    columns += glyph.valid && is_printable(glyph.code) ? 1 : piece.size();
    at += glyph.bytes;
    if (at <= end) caret_end = columns;
  }
  if (at <= caret) caret_at = columns;
  if (at < line.size()) shown_line += "...";
  const std::size_t run = caret_end > caret_at + 1 ? caret_end - caret_at - 1 : 0;
  return fmt::format("{} | {}\n{:{}} | {:{}}^{}\n", gutter, shown_line, "", gutter.size(), "", caret_at,
                     std::string(run, '~'));
}

// Edit distance with neighbours swapped counted once (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string in_quotes(std::string_view text) { return '"' + escaped(text, 40) + '"'; }

std::string shortened(std::string_view message, std::size_t limit) {
  constexpr std::size_t for_the_gap = 50, max_of_tail = 200;
  if (message.size() <= limit) return std::string(message);
  const std::size_t kept = std::max(limit, 2 * for_the_gap) - for_the_gap, tail = std::min(kept / 4, max_of_tail);
  const std::size_t head = whole_characters(message, kept - tail);
  const std::string_view rest = message.substr(whole_characters(message, message.size() - tail));
  return fmt::format("{} ... ({} bytes left out) ... {}", message.substr(0, head), message.size() - head - rest.size(),
                     rest);
}

std::string listed(const std::vector<std::string>& names, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && out.size() + names[i].size() > limit) return out + fmt::format(" and {} more", names.size() - i);
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return out;
}

std::string problem_text(const Problem& problem, std::string_view file, std::string_view text) {
  const bool set = problem.place.set > 0 || !problem.set.empty();
  std::string head = set ? "--set " + escaped(problem.set, shown_columns) : escaped(file, 150);
  const bool placed = problem.place.column > 0 && (set || problem.place.line > 0);
  if (placed && !set) head += fmt::format(":{}:{}", problem.place.line, problem.place.column);
  if (!problem.where.empty()) head += ": " + escaped(problem.where, 100);
  std::string out = head + ": " + shortened(printable(problem.message), 600) + "\n";
  if (placed) {
    const std::string_view line = set ? std::string_view(problem.set) : line_of(text, problem.place.line);
    const std::string number = set ? "" : std::to_string(problem.place.line);
    out += marked(line, problem.place.column, problem.width, fmt::format("{:>5}", number));
  }
  if (!problem.hint.empty()) out += "  hint: " + shortened(printable(problem.hint), 600) + "\n";
  return shortened(out);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t max_length = 128;  // the distance takes time with the square of the length
  if (name.empty() || name.size() > max_length) return {};
  const std::string wanted = lower_case(name);
  std::string best;
  std::size_t limit = name.size() / 3 + 2;
  for (const std::string& candidate : known) {
    if (candidate.size() > max_length) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fdtd
