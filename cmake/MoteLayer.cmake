# mote_layer(NAME DIR dir [DEPS targets...] [LIBS third-party...])
#
# One layer of the architecture = one static library made of every .cc file directly in DIR. A layer
# links only what DEPS and LIBS name, so an upward use does not link; tests/tidy checks the includes.
add_library(mote_options INTERFACE)
target_include_directories(mote_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(mote_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Werror -fno-omit-frame-pointer -ffunction-sections -fdata-sections)
target_compile_definitions(mote_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE SPDLOG_FMT_EXTERNAL
  MOTE_VERSION="${PROJECT_VERSION}")
target_link_options(mote_options INTERFACE -Wl,--gc-sections)
if(MOTE_SANITIZE)
  target_compile_options(mote_options INTERFACE -fsanitize=${MOTE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(mote_options INTERFACE -fsanitize=${MOTE_SANITIZE})
  if(MOTE_SANITIZE STREQUAL "thread")
    target_compile_definitions(mote_options INTERFACE MOTE_TSAN)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Asio uses atomic_thread_fence, which TSan does not model.
      target_compile_options(mote_options INTERFACE -Wno-tsan)
    endif()
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives inside inlined std::string operations at -O2 (GCC bug 105329).
  target_compile_options(mote_options INTERFACE -Wno-error=restrict -Wno-restrict)
endif()
target_link_libraries(mote_options INTERFACE Threads::Threads)

function(mote_layer NAME)
  cmake_parse_arguments(L "" "DIR" "DEPS;LIBS" ${ARGN})
  if(NOT L_DIR)
    set(L_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${L_DIR}/*.cc)
  if(sources)
    add_library(${NAME} STATIC ${sources})
    target_link_libraries(${NAME} PUBLIC mote_options ${L_DEPS} ${L_LIBS})
  else()
    add_library(${NAME} INTERFACE)
    target_link_libraries(${NAME} INTERFACE mote_options ${L_DEPS} ${L_LIBS})
  endif()
endfunction()

# mote_test(NAME DIR dir [DEPS targets...]): one doctest binary from every *_test.cc below DIR,
# registered with CTest. The doctest implementation is compiled once (tests/support).
function(mote_test NAME)
  cmake_parse_arguments(T "" "DIR;TIMEOUT" "DEPS;LABELS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${T_DIR}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${NAME} ${sources})
  target_link_libraries(${NAME} PRIVATE mote_test_main ${T_DEPS})
  # __FILE__ is relative to the build directory, where the compiler ran.
  add_test(NAME ${NAME} COMMAND ${NAME} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
endfunction()
