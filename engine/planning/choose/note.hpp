// Notes beside the figures of a plan, with their weight: reports print the weightiest first.
#pragma once

#include <string>
#include <utility>

namespace fdtd {

// Ascending: what is listed first.
enum class NoteWeight {
  band,      // the responses do not have the band that was requested
  room,      // the room is not the one of the scene
  material,  // a material is not as requested
  result,    // what to know when figures are read
  cost,      // the run takes more than it might
  choice,    // why this stencil, this device
};

struct Note {
  // NOLINTNEXTLINE(google-explicit-constructor): a sentence is a note
  Note(std::string words, NoteWeight of = NoteWeight::result) : text(std::move(words)), weight(of) {}
  std::string text;
  NoteWeight weight;
};

}  // namespace fdtd
