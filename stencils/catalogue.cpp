#include "stencils/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "stencils/box.hpp"
#include "stencils/compact.hpp"
#include "stencils/leggy.hpp"

namespace fdtd {
namespace {

std::string_view before_slash(std::string_view name) { return name.substr(0, name.find('/')); }

// Edits (insert, delete, replace) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Stencil>& catalogue() {
  static const std::vector<Stencil> all = [] {
    std::vector<Stencil> stencils = leggy_stencils();
    const std::vector<Stencil>& compact = compact_stencils();
    stencils.insert(stencils.end(), compact.begin(), compact.end());
    std::ranges::move(box_stencils(), std::back_inserter(stencils));
    return stencils;
  }();
  return all;
}

const Stencil* find_stencil(std::string_view name) {
  const bool plain = name.find('/') == std::string_view::npos;
  for (const Stencil& stencil : catalogue()) {  // the plain variant of a member comes first
    if ((plain ? before_slash(stencil.name) : std::string_view(stencil.name)) == name) return &stencil;
  }
  return nullptr;
}

std::string nearest_stencil_name(std::string_view name) {
  const std::string_view start = name.substr(0, 64);  // no name is that long; a longer one would only take time
  const bool plain = start.find('/') == std::string_view::npos;
  std::string_view best;
  std::size_t best_distance = static_cast<std::size_t>(-1);
  for (const Stencil& stencil : catalogue()) {
    const std::string_view candidate = plain ? before_slash(stencil.name) : std::string_view(stencil.name);
    const std::size_t distance = edit_distance(start, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace fdtd
