// STL (3D Systems, StereoLithography Interface Specification, 1988): 50 bytes a facet, or the same as words. Normals are
// left out: facets say by themselves how they lie.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "scenes/mesh_bytes.hpp"
#include "scenes/problem.hpp"

namespace fdtd {
namespace {

constexpr std::size_t header = 84, record = 50;
static_assert(std::endian::native == std::endian::little, "STL holds little-endian numbers, and so does this machine");

std::optional<std::string> reduced_binary(std::string_view bytes, std::string& why) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + header - 4, 4);
  if (count == 0) return refuse(why, "it has no facets");
  if (count > most_mesh_facets) return refuse(why, fmt::format("more than {} facets", most_mesh_facets));
  if (bytes.size() < header + record * count)
    return refuse(why, fmt::format("it is cut short: {} facets need {} bytes, and there are {}", count,
                                   header + record * count, bytes.size()));
  std::string out(header + record * count, '\0');
  std::memcpy(out.data() + header - 4, &count, 4);
  for (std::size_t f = 0; f < count; ++f) {
    const std::size_t corners = header + record * f + 12;
    for (std::size_t i = 0; i < 9; ++i) {
      float x = 0.0F;
      std::memcpy(&x, bytes.data() + corners + 4 * i, 4);
      if (!(std::abs(x) <= static_cast<float>(largest_coordinate)))
        return refuse(why, fmt::format("facet {}: {} is no coordinate", f + 1, x));
    }
    std::memcpy(out.data() + corners, bytes.data() + corners, 36);
  }
  return out;
}

// The words of a text, across lines.
class Words {
 public:
  explicit Words(std::string_view text) : lines_(text) {}
  std::string_view next() {
    for (;;) {
      if (const std::string_view word = take_word(line_); !word.empty()) return word;
      if (!lines_.next(line_)) return {};
    }
  }
  void skip_line() { line_ = {}; }
  std::size_t line() const { return lines_.number(); }

 private:
  Lines lines_;
  std::string_view line_;
};

bool same_word(std::string_view word, std::string_view known) {
  if (word.size() != known.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(word[i])) != known[i]) return false;
  }
  return true;
}

std::optional<std::string> reduced_text(std::string_view bytes, std::string& why) {
  std::string out = "solid room\n";
  Words words(bytes);
  std::size_t facets = 0;
  const auto expect = [&](std::string_view known) {
    const std::string_view word = words.next();
    if (same_word(word, known)) return true;
    refuse_line(why, words.line(),
                word.empty() ? fmt::format("it ends where {} should be", known)
                             : fmt::format("{} where {} should be", in_quotes(word), known));
    return false;
  };
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (same_word(word, "solid") || same_word(word, "endsolid")) {
      words.skip_line();  // a name
      continue;
    }
    if (!same_word(word, "facet"))
      return refuse_line(why, words.line(), fmt::format("{} where a facet should be", in_quotes(word)));
    if (!expect("normal")) return std::nullopt;
    for (int d = 0; d < 3; ++d) words.next();  // any words: exporters write nan for facets without area
    if (!expect("outer") || !expect("loop")) return std::nullopt;
    out += "facet normal 0 0 0\nouter loop\n";
    for (int corner = 0; corner < 3; ++corner) {
      if (!expect("vertex")) return std::nullopt;
      out += "vertex";
      for (int d = 0; d < 3; ++d) {
        const std::string_view number = words.next();
        const auto x = finite_number(number);
        if (!x || !(std::abs(*x) <= largest_coordinate))
          return refuse_line(why, words.line(), fmt::format("{} is no coordinate", in_quotes(number)));
        fmt::format_to(std::back_inserter(out), " {:.9g}", *x);
      }
      out += '\n';
    }
    if (!expect("endloop") || !expect("endfacet")) return std::nullopt;
    out += "endloop\nendfacet\n";
    if (++facets > most_mesh_facets) return refuse(why, fmt::format("more than {} facets", most_mesh_facets));
  }
  if (facets == 0) return refuse(why, "it has no facets");
  out += "endsolid room\n";
  return out;
}

}  // namespace

std::optional<std::string> reduced_stl(std::string_view bytes, std::string& why) {
  // Many binary files begin with "solid" as well: their length tells them.
  std::uint32_t count = 0;
  if (bytes.size() >= header) std::memcpy(&count, bytes.data() + header - 4, 4);
  if (bytes.size() >= header && bytes.size() == header + record * std::size_t{count}) return reduced_binary(bytes, why);
  std::string_view begin = bytes.substr(0, std::min<std::size_t>(80, bytes.find_first_of("\r\n")));
  const bool text = same_word(take_word(begin), "solid") && bytes.substr(0, 512).find('\0') == bytes.npos;
  if (text) return reduced_text(bytes, why);
  if (bytes.size() < header)
    return refuse(why, "it is neither binary STL (84 bytes and more) nor text (\"solid ...\")");
  return reduced_binary(bytes, why);
}

}  // namespace fdtd
