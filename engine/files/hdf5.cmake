# The target fdtd_hdf5: HDF5 with its layer of dimension scales.
#
# Debian's shared HDF5 loads some forty libraries, of curl, LDAP and Kerberos, for a driver of files on the network,
# which nothing here opens. Where its static libraries lie beside it they are linked instead, and hdf5_no_network.c
# stands for the few functions of curl and OpenSSL that the driver names. They are compiled for programs, not for shared
# libraries: all that differs is how they reach the three streams of stdio, which are renamed to pointers of our own.
set(FDTD_STATIC_HDF5 AUTO CACHE STRING "Static HDF5: AUTO (where it can be linked), ON (required) or OFF")
set_property(CACHE FDTD_STATIC_HDF5 PROPERTY STRINGS AUTO ON OFF)
find_package(HDF5 REQUIRED COMPONENTS C HL)
add_library(fdtd_hdf5 INTERFACE)

set(static_hdf5 OFF)
if(FDTD_STATIC_HDF5)
  get_target_property(shared_hdf5 hdf5::hdf5 IMPORTED_LOCATION)
  get_filename_component(folder "${shared_hdf5}" DIRECTORY)
  find_library(FDTD_SZ_STATIC libsz.a)
  find_library(FDTD_AEC_STATIC libaec.a)
  find_library(FDTD_Z_STATIC libz.a)
  set(parts ${CMAKE_BINARY_DIR}/hdf5)
  set(archives "")
  foreach(name hdf5_hl hdf5)
    if(EXISTS ${folder}/lib${name}.a AND CMAKE_OBJCOPY)
      file(MAKE_DIRECTORY ${parts})
      execute_process(
        COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=fdtd_h5_stderr --redefine-sym stdin=fdtd_h5_stdin
                --redefine-sym stdout=fdtd_h5_stdout ${folder}/lib${name}.a ${parts}/lib${name}.a
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(failed EQUAL 0)
        list(APPEND archives ${parts}/lib${name}.a)
      endif()
    endif()
  endforeach()
  set(others ${FDTD_SZ_STATIC} ${FDTD_AEC_STATIC} ${FDTD_Z_STATIC})
  list(FILTER others EXCLUDE REGEX NOTFOUND)
  list(LENGTH archives count)
  if(count EQUAL 2)
    # As a shared library without undefined symbols: what it needs is there, and it may be part of the Python extension.
    file(WRITE ${parts}/try.c "#include <hdf5.h>\n#include <hdf5_hl.h>\nint use(void);\n"
                              "int use(void) { return H5open() + H5DSset_label(1, 0, \"x\"); }\n")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} -shared -fPIC -o ${parts}/try.so ${parts}/try.c
              ${CMAKE_CURRENT_LIST_DIR}/hdf5_no_network.c -I${HDF5_C_INCLUDE_DIRS} ${archives} ${others}
              -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--no-undefined -lm -ldl -lpthread
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why)
    if(failed EQUAL 0)
      set(static_hdf5 ON)
    endif()
  endif()
endif()
if(static_hdf5)
  add_library(fdtd_hdf5_no_network STATIC ${CMAKE_CURRENT_LIST_DIR}/hdf5_no_network.c)
  set_target_properties(fdtd_hdf5_no_network PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_include_directories(fdtd_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(fdtd_hdf5 INTERFACE ${archives} fdtd_hdf5_no_network ${others} m ${CMAKE_DL_LIBS})
  message(STATUS "HDF5 ${HDF5_VERSION}: its static libraries, without the network")
elseif(FDTD_STATIC_HDF5 STREQUAL "ON")
  message(FATAL_ERROR "FDTD_STATIC_HDF5: the static libraries cannot be linked: ${why}")
else()
  target_link_libraries(fdtd_hdf5 INTERFACE hdf5::hdf5 hdf5::hdf5_hl)
endif()
