#include "engine/cpu/field/air_boxes.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace fdtd::cpu {
namespace {

using Runs = std::vector<AirMask::Run>;

// The rows of a tile, and how they are divided into boxes at the least cost.
class TileRows {
 public:
  TileRows(const AirMask& air, const Tile& tile, int line)
      : rows_(tile.y_end - tile.y_begin), planes_(tile.z_end - tile.z_begin), line_(line), nx_(air.size()[0]) {
    for (int z = 0; z < planes_; ++z)
      for (int y = 0; y < rows_; ++y) air.runs(tile.y_begin + y, tile.z_begin + z, row(y, z));
  }

  const Runs& runs(int y, int z) const { return air_[index(y, z)]; }

  std::vector<AirBox> boxes() {
    std::vector<AirBox> made;
    const Part all{0, rows_, 0, planes_};
    if (rows_alike()) {  // any cut costs a call more
      add_boxes(all, made);
    } else {
      divide(all, made);
    }
    return made;
  }

 private:
  struct Part {
    int y_begin, y_end, z_begin, z_end;
  };
  // The time of a box, in nodes of many rows: a call, and two planes more that it reads or sums. They decide the order of
  // work alone, and that by little: 24 or 384 in place of 96 is as fast within 3 % (docs/performance/cpu-tried.md,
  // section 9).
  static constexpr double call = 96.0;
  static constexpr int more_planes = 2;

  static std::size_t index(int y, int z) { return static_cast<std::size_t>(y + max_tile_edge * z); }
  Runs& row(int y, int z) { return air_[index(y, z)]; }

  bool rows_alike() const {
    const auto same = [](const AirMask::Run& a, const AirMask::Run& b) { return a.begin == b.begin && a.end == b.end; };
    for (int z = 0; z < planes_; ++z)
      for (int y = 0; y < rows_; ++y)
        if (!std::ranges::equal(runs(y, z), runs(0, 0), same)) return false;
    return true;
  }

  // The smallest intervals that hold all runs of a part: whole lines, those less than a line apart joined.
  Runs cover(const Part& part) const {
    Runs all;
    for (int z = part.z_begin; z < part.z_end; ++z)
      for (int y = part.y_begin; y < part.y_end; ++y)
        for (const AirMask::Run& run : runs(y, z))
          all.push_back({run.begin / line_ * line_, std::min(nx_, (run.end + line_ - 1) / line_ * line_)});
    std::ranges::sort(all, {}, &AirMask::Run::begin);
    Runs joined;
    for (const AirMask::Run& run : all) {
      if (!joined.empty() && run.begin <= joined.back().end + line_) {
        joined.back().end = std::max(joined.back().end, run.end);
      } else {
        joined.push_back(run);
      }
    }
    return joined;
  }

  double cost_as_one(const Part& part) const {
    const int rows = (part.y_end - part.y_begin) * (part.z_end - part.z_begin + more_planes);
    double sum = 0.0;
    for (const AirMask::Run& run : cover(part)) sum += call + static_cast<double>(rows) * (run.end - run.begin);
    return sum;
  }

  struct Choice {
    double cost = -1.0;
    bool along_y = false;
    int cut = 0;  // 0: none
  };

  const Choice& choose(const Part& part) {
    Choice& known = chosen_[index(part.y_begin, part.z_begin)][index(part.y_end - 1, part.z_end - 1)];
    if (known.cost >= 0.0) return known;
    Choice best{cost_as_one(part), false, 0};
    const auto compare = [&](bool along_y, int cut) {
      const auto [low, high] = halves(part, along_y, cut);
      const double cost = choose(low).cost + choose(high).cost;
      if (cost < best.cost) best = {cost, along_y, cut};
    };
    for (int z = part.z_begin + 1; z < part.z_end; ++z) compare(false, z);
    for (int y = part.y_begin + 1; y < part.y_end; ++y) compare(true, y);
    return known = best;
  }

  static std::pair<Part, Part> halves(const Part& part, bool along_y, int cut) {
    Part low = part, high = part;
    (along_y ? low.y_end : low.z_end) = cut;
    (along_y ? high.y_begin : high.z_begin) = cut;
    return {low, high};
  }

  void divide(const Part& part, std::vector<AirBox>& made) {
    const Choice choice = choose(part);
    if (choice.cut > 0) {
      const auto [low, high] = halves(part, choice.along_y, choice.cut);
      divide(low, made);
      divide(high, made);
    } else {
      add_boxes(part, made);
    }
  }

  void add_boxes(const Part& part, std::vector<AirBox>& made) const {
    for (const AirMask::Run& run : cover(part))
      made.push_back(
          {run.begin, run.end, part.y_begin, part.y_end - part.y_begin, part.z_begin, part.z_end - part.z_begin});
  }

  int rows_, planes_, line_, nx_;
  static constexpr std::size_t most = std::size_t{max_tile_edge} * max_tile_edge;
  std::array<Runs, most> air_;
  std::array<std::array<Choice, most>, most> chosen_;
};

// The gaps between the runs of a row in [begin, end), cut where cache lines begin.
template <class Visit>
void each_gap(const Runs& runs, int begin, int end, int line, const Visit& visit) {
  const auto gap = [&](int from, int to) {
    for (int x = std::max(from, begin); x < std::min(to, end);) {
      const int next = std::min({to, end, (x / line + 1) * line});
      visit(x, next - x);
      x = next;
    }
  };
  int from = begin;
  for (const AirMask::Run& run : runs) {
    gap(from, run.begin);
    from = std::max(from, run.end);
  }
  gap(from, end);
}

}  // namespace

AirBoxes::AirBoxes(const AirMask& air, const Layout& layout, int line) : solid_begin_(layout.tiles.size() + 1, 0) {
  if (air.all_air()) return;
  std::map<std::vector<std::int32_t>, std::uint32_t> known;  // runs of whole tiles
  for (std::size_t t = 0; t < layout.tiles.size(); ++t) {
    const Tile& tile = layout.tiles[t];
    TileRows rows(air, tile, line);
    const std::vector<AirBox> boxes = rows.boxes();
    List list{static_cast<std::uint32_t>(boxes_.size()), static_cast<std::uint32_t>(boxes.size()), 0, true};
    std::vector<std::int32_t> runs;
    for (const AirBox& box : boxes) {
      list.whole = list.whole && box.rows == tile.y_end - tile.y_begin && box.planes == tile.z_end - tile.z_begin;
      runs.insert(runs.end(), {box.x_begin, box.x_end});
      for (int z = box.z; z < box.z + box.planes; ++z)
        for (int y = box.y; y < box.y + box.rows; ++y)
          each_gap(rows.runs(y, z), box.x_begin, box.x_end, line, [&](int x, int count) {
            solid_.push_back({layout.offset(x, tile.y_begin + y, tile.z_begin + z), count});
          });
    }
    if (list.whole) list.runs = known.try_emplace(runs, static_cast<std::uint32_t>(known.size())).first->second;
    boxes_.insert(boxes_.end(), boxes.begin(), boxes.end());
    lists_.push_back(list);
    solid_begin_[t + 1] = solid_.size();
  }
}

double AirBoxes::nodes(const Layout& layout, std::size_t tile) const {
  if (lists_.empty()) {
    const Tile& t = layout.tiles[tile];
    return static_cast<double>(layout.size[0]) * (t.y_end - t.y_begin) * (t.z_end - t.z_begin);
  }
  double sum = 0.0;
  for (std::uint32_t i = lists_[tile].begin; i < lists_[tile].begin + lists_[tile].count; ++i)
    sum += static_cast<double>(boxes_[i].x_end - boxes_[i].x_begin) * boxes_[i].rows * boxes_[i].planes;
  return sum;
}

}  // namespace fdtd::cpu
