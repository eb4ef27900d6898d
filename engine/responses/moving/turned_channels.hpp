// Channels that turn with their receiver.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/path.hpp"

namespace fdtd {

// Turns channels in ACN order, in place, sample by sample: sample n is heard at the time (first + n) / rate by a receiver
// whose front looks the path's yaw to the left of the x axis. A rotation about z by a turns the pair of a degree and +-m
// by m a and leaves m = 0, in every normalisation.
void turn_channels(std::vector<std::vector<double>>& channels, const Path& path, double rate, std::uint64_t first);

// Of a pattern that looks along x, that pattern, its figure-eight in front and that to its left, as the pattern weighs
// them, to the one channel of the pattern turned by the yaw: pattern + (cos yaw - 1) front + sin yaw left.
void turn_pattern(std::vector<std::vector<double>>& channels, const Path& path, double rate, std::uint64_t first);

}  // namespace fdtd
