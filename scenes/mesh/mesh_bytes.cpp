#include "scenes/mesh/mesh_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

namespace fdtd {

bool Lines::next(std::string_view& line) {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
  line = text_.substr(at_, end - at_);
  const bool both = end + 1 < text_.size() && text_[end] == '\r' && text_[end + 1] == '\n';
  at_ = std::min(end + (both ? 2 : 1), text_.size());  // the last line may have no end
  ++number_;
  return true;
}

std::string_view take_word(std::string_view& line) {
  constexpr std::string_view blank = " \t\v\f";
  const std::size_t begin = line.find_first_not_of(blank);
  if (begin == line.npos) {
    line = {};
    return {};
  }
  const std::size_t end = std::min(line.find_first_of(blank, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::optional<double> finite_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // Underflow gives zero.
  if (error == std::errc::result_out_of_range && end == word.data() + word.size() && word.find("e-") != word.npos)
    return 0.0;
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> whole_number(std::string_view word) {
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

double shortest_decimal(float x) {
  if (!std::isfinite(x)) return x;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  double value = 0.0;
  std::from_chars(text, end, value);
  return value;
}

std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t max_bytes, std::string& why) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return refuse(why, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) return refuse(why, "is not a regular file");
  const auto size = std::filesystem::file_size(file, error);
  if (error) return refuse(why, "cannot be read");
  if (size > max_bytes) return refuse(why, fmt::format("{} bytes are too many: at most {} MiB", size, max_bytes >> 20));
  if (size == 0) return refuse(why, "is empty");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (stream.gcount() != static_cast<std::streamsize>(size)) return refuse(why, "cannot be read");
  return bytes;
}

std::nullopt_t refuse(std::string& why, std::string reason) {
  why = std::move(reason);
  return std::nullopt;
}

std::nullopt_t refuse_line(std::string& why, std::size_t line, const std::string& reason) {
  return refuse(why, fmt::format("line {}: {}", line, reason));
}

}  // namespace fdtd
