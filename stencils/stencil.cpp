#include "stencils/stencil.hpp"
