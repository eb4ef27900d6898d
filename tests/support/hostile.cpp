#include "tests/support/hostile.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include "tests/support/places.hpp"

namespace fdtd::test {
namespace {

std::string times(std::size_t count, const std::string& what) {
  std::string out;
  out.reserve(count * what.size());
  for (std::size_t i = 0; i < count; ++i) out += what;
  return out;
}

HostileScene read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  HostileScene scene;
  scene.name = file.filename().string();
  scene.text.assign(std::istreambuf_iterator<char>(stream), {});
  const std::string first = scene.text.substr(0, scene.text.find('\n'));
  const std::string lead = "# status ";
  const std::size_t colon = first.find(": ");
  if (first.rfind(lead, 0) != 0 || colon == first.npos)
    throw std::runtime_error(scene.name + ": no expectation in its first line");
  scene.status = first[lead.size()] - '0';
  const std::size_t at = first.find(" at ");
  if (at < colon) scene.place = first.substr(at + 4, colon - at - 4);
  scene.expect = first.substr(colon + 2);
  return scene;
}

}  // namespace

std::vector<HostileScene> hostile_files() {
  std::vector<HostileScene> scenes;
  for (const auto& entry : std::filesystem::directory_iterator(FDTD_SOURCE_DIR "/tests/cli/hostile")) {
    if (entry.path().extension() == ".toml") scenes.push_back(read(entry.path()));
  }
  std::sort(scenes.begin(), scenes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return scenes;
}

std::vector<HostileScene> hostile_giants() {
  const std::string nul(1, '\0');
  return {
      {"string_50_mb.toml", "a = \"" + times(50'000'000, "x") + "\"\n", 2, "", "too many: at most 4 MiB"},
      {"comment_5_mb.toml", "#" + times(5'000'000, "x"), 2, "", "too many: at most 4 MiB"},
      {"string_4_mb.toml", "schema = \"" + times(4'000'000, "x") + "\"\n", 2, "1:10",
       "must be a number, not the text \"xxx"},
      {"string_without_end.toml", "a = \"\"\"" + times(4'000'000, "\""), 2, "", "not TOML"},
      {"string_of_escapes.toml", "schema = \"" + times(1'000'000, "\\u0007") + "\"\n", 2, "", "too many"},
      {"brackets_open.toml", "a = " + times(2'000'000, "["), 2, "1:37", "nested more than 32 levels deep"},
      {"brackets_closed.toml", "a = " + times(500'000, "[") + times(500'000, "]"), 2, "1:37",
       "nested more than 32 levels deep"},
      {"braces.toml", times(300'000, "a={"), 2, "", "nested more than 32 levels deep"},
      {"brackets_over_lines.toml", "a = " + times(300'000, "[\n"), 2, "33:1", "nested more than 32 levels deep"},
      {"dotted_key.toml", times(1'000'000, "a.") + "a = 1\n", 2, "1:66", "a key of more than 32 parts"},
      {"dotted_header.toml", "[" + times(1'000'000, "a.") + "a]\n", 2, "1:67", "a key of more than 32 parts"},
      {"quoted_dotted_key.toml", times(500'000, "\"a\".") + "a = 1\n", 2, "", "a key of more than 32 parts"},
      {"numbers.toml", "a = [" + times(2'000'000, "1,") + "]\n", 2, "", "more than 200000 values"},
      {"empty_lists.toml", "a = [" + times(1'000'000, "[],") + "]\n", 2, "", "more than 200000 values"},
      {"empty_tables.toml", times(800'000, "[[a]]"), 2, "", "more than 200000 values"},
      {"key_4_mb.toml", times(4'000'000, "k") + " = \n", 2, "", "not TOML"},
      {"line_4_mb.toml", "schema = 1 #" + times(4'000'000, "\t") + "\n\n=", 2, "3:1", "not TOML"},
      {"nul.toml", "schema = 1\n" + nul + "\n", 2, "2:1", "a NUL byte"},
      {"nul_in_string.toml", "schema = \"" + nul + "\"\n", 2, "1:11", "a NUL byte"},
      {"nul_alone.toml", times(1'000'000, nul), 2, "1:1", "a NUL byte"},
      {"utf16.toml", "\xFF\xFE" + std::string("s\0c\0", 4), 2, "1:1", "not UTF-8: byte 0xff"},
      {"utf8_cut.toml", "schema = \"\xE2\x82", 2, "1:11", "not UTF-8: byte 0xe2"},
      {"utf8_overlong.toml", "# \xC0\xAF\n", 2, "1:3", "not UTF-8: byte 0xc0"},
      {"utf8_surrogate.toml", "# \xED\xA0\x80\n", 2, "1:3", "not UTF-8: byte 0xed"},
      {"utf8_beyond.toml", "# \xF4\x90\x80\x80\n", 2, "1:3", "not UTF-8: byte 0xf4"},
      {"latin1.toml", "# Caf\xE9\n", 2, "1:6", "not UTF-8: byte 0xe9"},
      {"elf.toml",
       "\x7F"
       "ELF\x02\x01\x01" +
           times(100, nul),
       2, "1:8", "a NUL byte"},
      {"return_only.toml", "schema = 1\rduration = 1\r", 2, "", "not TOML"},
  };
}

}  // namespace fdtd::test
