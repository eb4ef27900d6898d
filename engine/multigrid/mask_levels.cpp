#include "engine/multigrid/mask_levels.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/parallel_failure.hpp"
#include "engine/multigrid/cycle.hpp"
#include "engine/multigrid/mask_draft.hpp"

namespace fdtd::multigrid {
namespace {

constexpr std::ptrdiff_t worth_threads = 1 << 14;  // nodes

Place halved(const Place& cells) { return {(cells[0] + 1) / 2, (cells[1] + 1) / 2, (cells[2] + 1) / 2}; }

// Stably: by counting where entries are many.
void sort_by_row(std::vector<Entry>& entries, std::size_t nodes) {
  if (entries.size() < nodes / 16) {
    std::ranges::stable_sort(entries, {}, &Entry::row);
    return;
  }
  std::vector<std::int64_t> next(nodes + 1, 0);
  for (const Entry& one : entries) ++next[static_cast<std::size_t>(one.row) + 1];
  for (std::size_t i = 0; i < nodes; ++i) next[i + 1] += next[i];
  std::vector<Entry> sorted(entries.size());
  for (const Entry& one : entries) sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(one.row)]++)] = one;
  entries = std::move(sorted);
}

// The rows of entries `begin` to `end`, which are sorted by row.
SparseRows summed(const std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
  SparseRows rows;
  std::vector<Entry> row;
  for (std::size_t i = begin; i < end;) {
    row.clear();
    for (const std::int64_t of = entries[i].row; i < end && entries[i].row == of; ++i) {
      row.push_back(entries[i]);  // rows are short: insertion keeps them sorted by column
      for (std::size_t k = row.size() - 1; k > 0 && row[k].column < row[k - 1].column; --k)
        std::swap(row[k], row[k - 1]);
    }
    rows.row.push_back(row.front().row);
    for (std::size_t k = 0; k < row.size();) {
      const std::int64_t column = row[k].column;
      double sum = 0.0;
      for (; k < row.size() && row[k].column == column; ++k) sum += row[k].value;
      rows.column.push_back(column);
      rows.value.push_back(static_cast<float>(sum));
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  return rows;
}

SparseRows joined(const std::vector<SparseRows>& pieces) {
  SparseRows rows;
  for (const SparseRows& piece : pieces) {
    const std::int64_t before = rows.begin.back();
    for (std::size_t i = 1; i < piece.begin.size(); ++i) rows.begin.push_back(before + piece.begin[i]);
    rows.row.insert(rows.row.end(), piece.row.begin(), piece.row.end());
    rows.column.insert(rows.column.end(), piece.column.begin(), piece.column.end());
    rows.value.insert(rows.value.end(), piece.value.begin(), piece.value.end());
  }
  return rows;
}

// The diagonal of the regular elements; returns how many nodes have one.
std::int64_t add_regular(MaskLevel& level) {
  const NodeGrid& body = level.body;
  std::int64_t nodes = 0;
#pragma omp parallel for schedule(static) reduction(+ : nodes) if (body.count() > worth_threads)
  for (int z = 0; z < body.nodes[2]; ++z)
    for (int y = 0; y < body.nodes[1]; ++y) {
      const float* const e = level.element.data() + body.at(0, y, z);
      const float *const s = e - body.row, *const d = e - body.plane, *const sd = s - body.plane;
      double* const to = level.stiffness.data() + body.at(0, y, z);
      const auto sum = [](const float* row, std::ptrdiff_t x) {
        return static_cast<double>(row[x]) + static_cast<double>(row[x - 1]);
      };
      for (std::ptrdiff_t x = 0; x < body.nodes[0]; ++x) {
        to[x] = level.weight[0] * ((sum(e, x) + sum(s, x)) + (sum(d, x) + sum(sd, x)));
        nodes += to[x] > 0.0 ? 1 : 0;
      }
    }
  return nodes;
}

// The operator's rows that are no stencil computation.
void add_irregular(Draft& draft) {
  MaskLevel& level = draft.level;
  std::vector<Entry> entries;
  entries.reserve(64 * draft.irregular.size());
  const std::int64_t end = level.body.at(0, -1, level.body.nodes[2]);
  for (const Irregular& element : draft.irregular)
    for (std::size_t a = 0; a < 8; ++a) {
      const auto k = static_cast<double>(element.coefficient);
      double& diagonal = level.stiffness[static_cast<std::size_t>(element.node[a])];
      if (!(diagonal > 0.0)) {
        ++level.nodes;
        if (element.node[a] >= end) ++level.further;
      }
      diagonal += level.weight[0] * k;
      for (std::size_t b = 0; b < 8; ++b)
        entries.push_back({element.node[a], element.node[b], level.weight[a ^ b] * k});
    }
  level.irregular = rows_of(std::move(entries), level.grid.size);
}

// The rest of an element's operator, once all its corners have nodes.
void finish(Draft& draft, const std::array<double, 3>& spacing) {
  MaskLevel& level = draft.level;
  level.weight = element_stiffness(spacing);
  level.stiffness.assign(level.grid.size, 0.0);
  level.nodes = add_regular(level);
  add_irregular(draft);
}

Draft finest(const Elements& elements) {
  Draft draft;
  MaskLevel& level = draft.level;
  const auto& n = elements.cells;
  level.body = level.grid = NodeGrid({n[0] + 1, n[1] + 1, n[2] + 1});
  level.element.assign(level.grid.size, 0.0F);
#pragma omp parallel for schedule(static) if (level.grid.count() > worth_threads)
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      std::copy_n(elements.coefficient.begin() + n[0] * (y + static_cast<std::ptrdiff_t>(n[1]) * z), n[0],
                  level.element.begin() + level.grid.at(0, y, z));
  return draft;
}

}  // namespace

SparseRows rows_of(std::vector<Entry> entries, std::size_t nodes) {
  sort_by_row(entries, nodes);
  // Pieces of whole rows, put together in order.
  constexpr std::size_t max_pieces = 64, least = 4096;
  std::vector<std::size_t> begin = {0};
  const std::size_t piece = std::max(least, entries.size() / max_pieces + 1);
  for (std::size_t i = piece; i < entries.size(); i += piece) {
    while (i < entries.size() && entries[i].row == entries[i - 1].row) ++i;
    if (i < entries.size()) begin.push_back(i);
  }
  begin.push_back(entries.size());
  std::vector<SparseRows> pieces(begin.size() - 1);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (pieces.size() > 1)
  for (std::size_t p = 0; p < pieces.size(); ++p)
    failure.guard([&] { pieces[p] = summed(entries, begin[p], begin[p + 1]); });
  failure.rethrow();
  return joined(pieces);
}

std::vector<MaskLevel> mask_levels(const Elements& elements) {
  const auto& n = elements.cells;
  const std::size_t count =
      static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
  if (n[0] < 1 || n[1] < 1 || n[2] < 1 || elements.coefficient.size() != count)
    throw std::invalid_argument("multigrid: the coefficients do not match the cells");
  if (std::ranges::none_of(elements.coefficient, [](float k) { return k > 0.0F; }))
    throw std::invalid_argument("multigrid: the mask is empty");
  Draft draft = finest(elements);
  std::array<double, 3> h = elements.spacing;
  finish(draft, h);
  std::vector<MaskLevel> levels;
  for (Place cells = n; draft.level.nodes > coarsest_nodes && halved(cells) != cells;) {
    cells = halved(cells);
    for (double& side : h) side *= 2.0;
    Draft next = coarsened(draft, cells);
    finish(next, h);
    levels.push_back(std::move(draft.level));
    draft = std::move(next);
  }
  levels.push_back(std::move(draft.level));
  return levels;
}

}  // namespace fdtd::multigrid
