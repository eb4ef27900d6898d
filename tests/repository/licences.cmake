# Where the licence of a CUDA runtime that no package owns comes from, and what a missing one does.
# Usage: cmake -DSOURCE=<repository> -P licences.cmake
cmake_minimum_required(VERSION 3.25)
find_program(dpkg_query dpkg-query)
if(NOT dpkg_query)
  message(STATUS "skipped: no dpkg-query")
  return()
endif()
string(RANDOM name)
set(work $ENV{TMPDIR})
if(NOT work)
  set(work /tmp)
endif()
set(work ${work}/fdtd-licences-${name})
set(eula "End User License Agreement\n\nNVIDIA CUDA Toolkit\n")

# An installation, and the two layouts of PyPI's packages; and a text that is another's.
set(layouts
  "toolkit/lib64/libcudart_${name}.a|toolkit/EULA.txt"
  "deep/targets/x86_64-linux/lib/libcudart_${name}.a|deep/EULA.txt"
  "site/nvidia/cuda_runtime/lib/libcudart_${name}.a|site/nvidia_cuda_runtime_cu12-12.8.90.dist-info/License.txt"
  "new/nvidia/cu13/lib/libcudart_${name}.a|new/nvidia_cuda_runtime-13.0.96.dist-info/licenses/License.txt")
foreach(layout ${layouts})
  string(REPLACE "|" ";" files ${layout})
  list(GET files 0 library)
  list(GET files 1 text)
  file(WRITE ${work}/${library} "")
  file(WRITE ${work}/${text} "${eula}")
endforeach()
file(WRITE ${work}/other/lib/libcudart_${name}.a "")
file(WRITE ${work}/other/EULA.txt "of something else\n")
file(WRITE ${work}/own/lib/libown_${name}.so "")
file(WRITE ${work}/own/EULA.txt "${eula}")

# One library in a process of its own, since an error ends it. `required` as `./go wheel` sets it.
file(WRITE ${work}/collect.cmake "include(${SOURCE}/cli/licences.cmake)\nset(compiled_in)\ncollect_licences(\${FOLDER} \${LIBRARY})\n")
function(collect library required status output)
  file(REMOVE_RECURSE ${work}/licences)
  execute_process(COMMAND ${CMAKE_COMMAND} -DLICENCES_REQUIRED=${required} -DFOLDER=${work}/licences
                          -DLIBRARY=${work}/${library} -P ${work}/collect.cmake
                  RESULT_VARIABLE ended OUTPUT_QUIET ERROR_VARIABLE said)
  set(${status} ${ended} PARENT_SCOPE)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()
function(expect what)
  if(NOT (${ARGN}))
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "FAILED: ${what}: status ${status}\n${output}")
  endif()
endfunction()

foreach(layout ${layouts})
  string(REGEX REPLACE "\\|.*" "" library ${layout})
  collect(${library} ON status output)
  set(copy "")
  if(EXISTS ${work}/licences/nvidia-cuda-runtime)
    file(READ ${work}/licences/nvidia-cuda-runtime copy)
  endif()
  expect("the licence beside ${library}" status EQUAL 0 AND copy STREQUAL eula)
endforeach()
foreach(library other/lib/libcudart_${name}.a own/lib/libown_${name}.so)
  collect(${library} ON status output)
  expect("a wheel for others without the licence of ${library}" NOT status EQUAL 0 AND output MATCHES "${name}" AND
         output MATCHES "FDTD_CUDA=OFF")
  collect(${library} OFF status output)
  expect("an own build without the licence of ${library}" status EQUAL 0 AND output MATCHES "no licence was found of")
endforeach()
file(REMOVE_RECURSE ${work})
