#include "cli/reference/ears_entries.hpp"

namespace fdtd::cli {

std::vector<FileEntry> ears_entries() {
  const char* const when = "a receiver is binaural";
  return {
      {"/ears", "group", "", when, "Binaural receivers."},
      {"/ears/R", "group", "", when, "One of them."},
      {"/ears/R@index", "whole number", "", when, "Its place among them, from 0."},
      {"/ears/R@hrtf", "text", "", when, "The file of its head's responses, as the scene has it."},
      {"/ears/R@front", "3 numbers", "", when, "Vector in which the head looks at a rotation of 0."},
      {"/ears/R@up", "3 numbers", "", when, "Vector towards its crown."},
      {"/ears/R@rotations", "numbers", "degrees", when, "By which it is turned to its left."},
      {"/ears/R@filter_rate", "number", "Hz", when, "Sample rate of the filters."},
      {"/ears/R@lead", "number", "s", when,
       "Of the filters before the time at which sound is in the middle of the head."},
      {"/ears/R@exact_to", "number", "Hz", when,
       "Up to which the filters have the head's phases; above its magnitudes."},
      {"/ears/R/filters", "2 x channels x taps, f64", "", when,
       "Of the left and the right ear, for the channels R:b00, R:b01, ... of the field, ACN and SN3D, with the radial "
       "filters of 2 m, in the head's axes."},
      {"/ears/R/pressure", "sources x rotations x 2 x samples, f64", "", when,
       "The impulse responses of the left and the right ear."},
      {"/ears/R/pressure@sample_rate", "number", "Hz", when, "The output sample rate."},
  };
}

}  // namespace fdtd::cli
