// The choices that timed searches found fastest, kept between runs: so that a search is paid for once, and so that the
// same job takes the same choice every time. One format for the CPU's tile orders and the GPU's tiles: a JSON file,
// written whole or not at all; of one build, because another build's kernels are others.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

// Whatever changes the fastest choice.
struct TuneKey {
  std::string device;   // and what drives it: threads, driver
  std::string kernel;   // that was requested, or that is tuned
  std::string stencil;  // its points; not their weights
  std::string_view precision;
  std::array<int, 3> size;
  std::string room;  // how the room is worked: walls, obstacles, pieces
  std::string text() const;
};

struct TunedChoice {
  std::vector<int> numbers;  // >= 0: of the kernel's tile, the schedule's order
  double ctpn_ns = 0.0;      // as the search measured it; 0: there was no other choice
  bool operator==(const TunedChoice&) const = default;
};

class TuneFile {
 public:
  // $XDG_CACHE_HOME (or ~/.cache)/fdtd/NAME; empty where there is no home: nothing is kept then.
  static std::filesystem::path in_cache_folder(std::string_view name);

  // Reads the file, where there is one. `build` says which program this is: entries of others are not used.
  TuneFile(std::filesystem::path file, std::string build);
  const TunedChoice* find(const std::string& key) const;
  // Keeps it, in the file as well; entries that another run has added since stay. Where the file cannot be
  // written remark() says so, and the next run searches again.
  void keep(const std::string& key, const TunedChoice& tuned);
  // "" or why the file that was found is not used, or cannot be written.
  const std::string& remark() const { return remark_; }

 private:
  struct Entry {
    std::string key;
    TunedChoice tuned;
  };
  using Entries = std::vector<Entry>;  // the latest last
  Entries read(std::string& remark) const;

  std::filesystem::path file_;
  std::string build_, remark_;
  Entries known_;
};

}  // namespace fdtd
