# Makes a folder that runs on another Linux of the same or a newer glibc, with or without a GPU driver:
#   bin/fdtd, lib/ (every library but glibc's and the driver's), share/fdtd/examples, LICENSE, licences/ (of others).
# Usage: cmake -DBUILD=<build folder> -DSOURCE=<source folder> -DDESTINATION=<new folder> -P bundle.cmake
#
# The program finds lib/ by an $ORIGIN rpath of the old kind (DT_RPATH), which its libraries' own needs follow as well.
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${BUILD}/CMakeCache.txt native REGEX "^FDTD_INSTRUCTION_SETS:.*=native$")
if(native)
  message(FATAL_ERROR "${BUILD} holds code for this processor alone: build with -DFDTD_INSTRUCTION_SETS=all")
endif()
file(STRINGS ${BUILD}/CMakeCache.txt native REGEX "^CMAKE_CUDA_ARCHITECTURES:.*=native$")
if(native)
  message(WARNING "${BUILD} holds code for this machine's GPU alone: `./go bundle` builds it for all")
endif()
file(REMOVE_RECURSE ${DESTINATION})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${DESTINATION} --strip
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${BUILD}/cli/fdtd
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR unresolved
  POST_EXCLUDE_REGEXES "/(ld-linux[^/]*|libc|libm|libdl|librt|libpthread|libresolv|libcuda)\\.so[^/]*$")
if(unresolved)
  message(FATAL_ERROR "libraries that this machine does not have: ${unresolved}")
endif()
foreach(library ${libraries})
  file(INSTALL ${library} DESTINATION ${DESTINATION}/lib FOLLOW_SYMLINK_CHAIN MESSAGE_NEVER)
endforeach()
# A library with a path of its own (RUNPATH; Open MPI's have one) would follow that instead of the program's.
file(GLOB copied ${DESTINATION}/lib/*)
foreach(library ${copied})
  if(NOT IS_SYMLINK ${library})
    file(CHMOD ${library} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ WORLD_READ)
    file(RPATH_REMOVE FILE ${library})
  endif()
endforeach()
file(COPY ${SOURCE}/LICENSE DESTINATION ${DESTINATION})
include(${CMAKE_CURRENT_LIST_DIR}/licences.cmake)
file(STRINGS ${BUILD}/CMakeCache.txt cuda REGEX "^CUDA_cudart_static_LIBRARY:.*=/")  # compiled in, where it is used
string(REGEX REPLACE "^[^=]*=" "" cuda "${cuda}")
collect_licences(${DESTINATION}/licences ${libraries} ${cuda})
list(LENGTH libraries count)
message(STATUS "${DESTINATION}: the program and ${count} libraries")
