// Scene and --set: any bytes are told as problems, or are a scene; nothing is thrown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scenes/toml/parse.hpp"

// A first line "#set KEY=VALUE" is an override.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  fdtd::ParseOptions options;
  constexpr const char* lead = "#set ";
  if (text.starts_with(lead)) {
    const std::size_t end = text.find('\n');
    options.overrides.push_back(text.substr(5, end == text.npos ? end : end - 5));
    text.erase(0, end == text.npos ? end : end + 1);
  }
  const fdtd::ParsedScene parsed = fdtd::parse_scene(std::move(text), "fuzz.toml", options);
  for (const fdtd::Problem& problem : parsed.problems)
    if (fdtd::problem_text(problem, "fuzz.toml", parsed.scene.text).empty()) std::abort();
  return 0;
}
