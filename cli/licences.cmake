# Copies the licences of what a bundle or a wheel holds into a folder, a file for each Debian package: of the libraries
# beside the program, by the packages that own them, and of those that are compiled or linked into it; and the texts
# that these refer to (GPL-3, LGPL-2.1, ...). The licence of a CUDA runtime that no package owns is taken from its toolkit.
# Usage: include it, then collect_licences(<folder> <library>...). Licences that are not found are a warning, and an
# error where LICENCES_REQUIRED is on.

# What is compiled into the program, or linked into it without a file of its own: of HDF5 also what it compresses by.
set(compiled_in libaec-dev libcli11-dev libeigen3-dev libfmt-dev libhdf5-dev libjs-three libpugixml-dev
                libtomlplusplus-dev
                nlohmann-json3-dev zlib1g-dev)

# The package that owns a library; empty where there is none.
function(find_owner library result)
  get_filename_component(name ${library} NAME)
  execute_process(COMMAND ${dpkg_query} --search "*/${name}" OUTPUT_VARIABLE owners ERROR_QUIET)
  string(REGEX MATCH "^[^:,\n]+" owner "${owners}")
  set(${result} "${owner}" PARENT_SCOPE)
endfunction()

# A licence's text as a file of the folder; `result` is whether there is such a text.
function(copy_text text folder name result)
  get_filename_component(text ${text} REALPATH)
  set(${result} OFF PARENT_SCOPE)
  if(EXISTS ${text} AND NOT IS_DIRECTORY ${text})
    file(COPY_FILE ${text} ${folder}/${name})
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# NVIDIA's licence, from the toolkit of the CUDA runtime `library`: that of an installation (EULA.txt at its top), or of
# packages of PyPI (*.dist-info beside or above the library). Empty where there is none.
function(find_toolkit_licence library result)
  set(${result} "" PARENT_SCOPE)
  if(NOT library MATCHES "/libcuda(rt|devrt)[^/]*$")
    return()
  endif()
  set(metadata nvidia_cuda_runtime*.dist-info)
  get_filename_component(place ${library} REALPATH)
  foreach(level RANGE 5)
    get_filename_component(place ${place} DIRECTORY)
    file(GLOB texts ${place}/EULA.txt ${place}/doc/EULA.txt ${place}/${metadata}/[Ll]icense.txt
         ${place}/${metadata}/licenses/[Ll]icense.txt ${place}/dist-info/${metadata}/licenses/[Ll]icense.txt)
    foreach(text ${texts})
      file(STRINGS ${text} found REGEX "NVIDIA CUDA Toolkit" LIMIT_COUNT 1)
      if(found)
        set(${result} ${text} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

function(report_missing_licences what)
  if(LICENCES_REQUIRED)
    message(FATAL_ERROR "${what}. What is given to others needs them: take the libraries from packages of Debian or "
                        "Ubuntu, and the CUDA runtime from a toolkit with its EULA.txt (or set FDTD_CUDA=OFF)")
  endif()
  message(WARNING "${what}")
endfunction()

function(collect_licences folder)
  find_program(dpkg_query dpkg-query)
  if(NOT dpkg_query)
    report_missing_licences("no dpkg-query: the licences of bundled libraries are not collected into ${folder}")
    return()
  endif()
  file(MAKE_DIRECTORY ${folder})
  set(packages ${compiled_in})
  foreach(library ${ARGN})
    find_owner(${library} owner)
    list(APPEND packages ${owner})
    if(owner)
      continue()
    endif()
    find_toolkit_licence(${library} text)
    if(text)
      copy_text(${text} ${folder} nvidia-cuda-runtime found)
    else()
      list(APPEND without ${library})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  foreach(package ${packages})
    copy_text(/usr/share/doc/${package}/copyright ${folder} ${package} found)
    if(NOT found)
      list(APPEND without ${package})
      continue()
    endif()
    file(STRINGS ${folder}/${package} lines REGEX "/usr/share/common-licenses/")
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" common "${lines}")
    foreach(text ${common})  # which Debian keeps once
      get_filename_component(name ${text} NAME)
      copy_text(${text} ${folder} ${name} found)
    endforeach()
  endforeach()
  if(without)
    list(JOIN without ", " without)
    report_missing_licences("no licence was found of: ${without}")
  endif()
endfunction()
