# libfdtd_gpu.so: the objects of fdtd_cuda with the parts of the engine that they call, which nothing outside sees. As a
# wheel (packaging/cuda) it brings the licences of what is in it.
add_library(fdtd_gpu MODULE $<TARGET_OBJECTS:fdtd_cuda>)
target_link_libraries(fdtd_gpu PRIVATE fdtd_engine fmt::fmt CUDA::cudart_static)
target_link_options(fdtd_gpu PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--as-needed)
set_target_properties(fdtd_gpu PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cli)
install(TARGETS fdtd_gpu DESTINATION . COMPONENT gpu EXCLUDE_FROM_ALL)
if(SKBUILD)
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES
      MODULES $<TARGET_FILE:fdtd_gpu>
      RESOLVED_DEPENDENCIES_VAR libraries
      UNRESOLVED_DEPENDENCIES_VAR unresolved
      POST_EXCLUDE_REGEXES \"/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|stdc\\\\+\\\\+|gcc_s|z))\\\\.so[^/]*$\")
    set(LICENCES_REQUIRED $<BOOL:${FDTD_LICENCES_REQUIRED}>)
    include(${CMAKE_SOURCE_DIR}/cli/licences.cmake)
    collect_licences(${SKBUILD_METADATA_DIR}/licenses \${libraries} ${CUDA_cudart_static_LIBRARY})
    copy_text(${CMAKE_SOURCE_DIR}/LICENSE ${SKBUILD_METADATA_DIR}/licenses LICENSE found)
  " COMPONENT gpu EXCLUDE_FROM_ALL)
endif()
