# Writes commit.hpp, at every build, if its content has changed: the commit from which this program is built, with
# "-dirty" when the tree differs from it; empty outside a checkout. One small file is compiled again after a commit.
# Usage: cmake -DSOURCE=<source folder> -DHEADER=<file to write> -DGIT=<git, or empty> -P commit.cmake
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --exclude=* --abbrev=10
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "#define FDTD_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
