// Checks that every reader of measured figures makes: octaves, names of figures, the range of a value.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

inline constexpr std::size_t max_measured_pairs = 100'000, max_measured_name = 200;
inline constexpr std::size_t max_measured_bytes = std::size_t{64} << 20;  // of a file

// The nominal centre of the octave that `frequency` names (62.5 and 31.25 Hz count as 63 and 31.5); nothing: of none.
std::optional<double> octave_of(double frequency);
// The index of a figure in named_figures, in small or capital letters; nothing: none of ISO 3382-1.
std::optional<std::size_t> figure_of(std::string_view name);
// "edt, t20, ...", for messages.
std::string measured_figure_names();
// Figures of other names, which a file may hold beside those that are compared; empty: there are none.
std::string other_figures_remark(const std::set<std::string>& names);
// Why a value cannot be that of a figure, with what to do; empty: it can.
std::string value_fault(std::size_t figure, double value);
// Why a name cannot be that of a source or a receiver; empty: it can.
std::string name_fault(std::string_view name);

}  // namespace fdtd
