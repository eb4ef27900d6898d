#include "engine/cuda/tuning/profile_result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fdtd::cuda {
namespace {

using Json = nlohmann::ordered_json;

Json tile_json(const Tile& tile) {
  return {{"x", tile.x},         {"y", tile.y},           {"z", tile.z},          {"threads", tile.threads},
          {"depth", tile.depth}, {"blocks", tile.blocks}, {"pace", tile.max_lead}};
}

Json roof_json(const Spread& roof, double bytes) {
  return {{"ctpn_ns", roof.median_ns}, {"spread", roof.spread}, {"gb_per_second", bytes / roof.median_ns}};
}

Json resources_json(const Resources& r) {
  return {{"threads", r.threads},
          {"registers", r.registers},
          {"local_bytes", r.local_bytes},
          {"shared_bytes", r.shared_bytes},
          {"blocks_per_multiprocessor", r.blocks_per_multiprocessor}};
}

Json counters_json(const Counters& c) {
  return {{"dram_read_bytes_per_point", c.dram_read_bytes},
          {"dram_written_bytes_per_point", c.dram_written_bytes},
          {"effective_bytes_per_point", c.effective_bytes()},
          {"l2_bytes_per_point", c.l2_bytes},
          {"l2_hit_rate", c.l2_hit_rate},
          {"l1_bytes_per_point", c.l1_bytes},
          {"l1_hit_rate", c.l1_hit_rate},
          {"shared_conflicts_per_point", c.shared_conflicts},
          {"instructions_per_point", c.instructions},
          {"issue_use", c.issue_use},
          {"shared_use", c.shared_use}};
}

Json tiles_json(const std::vector<TimedTile>& tiles) {
  auto list = Json::array();
  for (const auto& [p, ctpn_ns] : tiles)
    list.push_back({{"tile", tile_json(p.tile)},
                    {"ctpn_ns", ctpn_ns},
                    {"predicted", p.predicted},
                    {"cost", p.cost},
                    {"transactions_per_point", p.transactions},
                    {"conflicts", p.conflicts},
                    {"active_blocks", p.active_blocks},
                    {"occupancy", p.occupancy},
                    {"thread_efficiency", p.thread_efficiency},
                    {"wave_efficiency", p.wave_efficiency},
                    {"footprint_bytes_per_point", p.footprint},
                    {"resources", resources_json(p.resources)}});
  return list;
}

}  // namespace

Spread spread_of(std::vector<double> values_ns) {
  std::sort(values_ns.begin(), values_ns.end());
  const std::size_t middle = values_ns.size() / 2;
  const double median =
      values_ns.size() % 2 == 1 ? values_ns[middle] : 0.5 * (values_ns[middle - 1] + values_ns[middle]);
  return {median, (values_ns.back() - values_ns.front()) / median};
}

Json to_json(const GpuProfile& p) {
  if (!p.error.empty())
    return {{"stencil", p.stencil}, {"points", p.points}, {"precision", to_string(p.precision)},
            {"grid", p.grid},       {"kernel", p.kernel}, {"error", p.error}};
  Json json{{"stencil", p.stencil},
            {"points", p.points},
            {"precision", to_string(p.precision)},
            {"grid", p.grid},
            {"kernel", p.kernel},
            {"tile", tile_json(p.tile)},
            {"tile_from", p.tile_from},
            {"launches_per_step", p.launches},
            {"ctpn_ns", p.ctpn.median_ns},
            {"spread", p.ctpn.spread},
            {"gpts_per_second", p.gpts_per_second()},
            {"triad_ctpn_ns", p.triad.median_ns},
            {"triad_spread", p.triad.spread},
            {"eff", p.eff()},
            {"declared_bytes_per_point", p.declared_bytes},
            {"gb_per_second", p.gb_per_second()},
            {"l2_declared_bytes_per_point", p.l2_bytes},
            {"footprint_bytes_per_point", p.footprint_bytes},
            {"resources", resources_json(p.resources)},
            {"occupancy", p.occupancy}};
  if (p.roofs) {
    const double value = p.declared_bytes / 3.0;
    json["roofs"] = {{"triad", roof_json(p.roofs->triad, 3.0 * value)},
                     {"copy", roof_json(p.roofs->copy, 2.0 * value)},
                     {"copy_halo", roof_json(p.roofs->copy_halo, 2.0 * value)}};
  }
  if (const auto score = score_of(p.tiles)) {
    json["tiles"] = tiles_json(p.tiles);
    json["prediction"] = {{"best_predicted", score->best_predicted},
                          {"predicted", score->predicted},
                          {"tiles", score->tiles},
                          {"loss_of_set", score->loss_of_set},
                          {"loss_of_first", score->loss_of_first}};
  }
  if (p.counters) json["counters"] = counters_json(*p.counters);
  return json;
}

}  // namespace fdtd::cuda
