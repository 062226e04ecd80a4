#pragma once

#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/contract/store_fixture.h"

// The contract of erasure/store.h as one suite. A store passes it by
//
//   MOTE_STORE_CONTRACT("memory", make_memory_fixture)
//
// in a test file, where make_memory_fixture() returns a std::unique_ptr<contract::StoreFixture>
// with a fresh, empty store. Each function below is one test case and makes as many fixtures as it
// needs.

namespace mote::contract {

using MakeFixture = std::unique_ptr<StoreFixture> (*)();

void buckets_live_and_die(MakeFixture make);
void buckets_keep_configuration(MakeFixture make);
void buckets_refuse(MakeFixture make);

void objects_round_trip(MakeFixture make);
void objects_ranges(MakeFixture make);
void objects_overwrite_and_delete(MakeFixture make);
void objects_pinned_reader(MakeFixture make);
void objects_odd_keys(MakeFixture make);
void objects_refuse(MakeFixture make);
void objects_sinks(MakeFixture make);
void objects_preconditions(MakeFixture make);
void objects_tags(MakeFixture make);
void objects_generations(MakeFixture make);
void objects_stop(MakeFixture make);

void list_prefix_and_delimiter(MakeFixture make);
void list_binary_keys(MakeFixture make);
void list_pages(MakeFixture make);
void list_hides_deleted(MakeFixture make);
void list_uploads_pages(MakeFixture make);

void versions_enabled(MakeFixture make);
void versions_suspended(MakeFixture make);
void versions_delete_markers(MakeFixture make);
void versions_list(MakeFixture make);
void versions_list_pages(MakeFixture make);
void versions_delete_while_listing(MakeFixture make);
void versions_preconditions(MakeFixture make);

void multipart_complete(MakeFixture make);
void multipart_parts(MakeFixture make);
void multipart_refuse(MakeFixture make);
void multipart_abort(MakeFixture make);
void multipart_versions_and_preconditions(MakeFixture make);

void concurrent_if_absent(MakeFixture make);
void concurrent_if_match(MakeFixture make);
void concurrent_register(MakeFixture make);
void concurrent_bucket_delete(MakeFixture make);

void close_refuses_later_work(MakeFixture make);

}  // namespace mote::contract

#define MOTE_STORE_CONTRACT(name, make)                             \
  TEST_CASE(name ": buckets live and die") {                        \
    mote::contract::buckets_live_and_die(make);                     \
  }                                                                 \
  TEST_CASE(name ": buckets keep their configuration") {            \
    mote::contract::buckets_keep_configuration(make);               \
  }                                                                 \
  TEST_CASE(name ": buckets refuse") {                              \
    mote::contract::buckets_refuse(make);                           \
  }                                                                 \
  TEST_CASE(name ": objects of every size come back") {             \
    mote::contract::objects_round_trip(make);                       \
  }                                                                 \
  TEST_CASE(name ": ranges are exact") {                            \
    mote::contract::objects_ranges(make);                           \
  }                                                                 \
  TEST_CASE(name ": overwrite and delete") {                        \
    mote::contract::objects_overwrite_and_delete(make);             \
  }                                                                 \
  TEST_CASE(name ": a reader keeps what it opened") {               \
    mote::contract::objects_pinned_reader(make);                    \
  }                                                                 \
  TEST_CASE(name ": keys are opaque bytes") {                       \
    mote::contract::objects_odd_keys(make);                         \
  }                                                                 \
  TEST_CASE(name ": objects refuse") {                              \
    mote::contract::objects_refuse(make);                           \
  }                                                                 \
  TEST_CASE(name ": sinks") {                                       \
    mote::contract::objects_sinks(make);                            \
  }                                                                 \
  TEST_CASE(name ": preconditions") {                               \
    mote::contract::objects_preconditions(make);                    \
  }                                                                 \
  TEST_CASE(name ": tags") {                                        \
    mote::contract::objects_tags(make);                             \
  }                                                                 \
  TEST_CASE(name ": INV-7: generations move with every write") {    \
    mote::contract::objects_generations(make);                      \
  }                                                                 \
  TEST_CASE(name ": a stop asked for before the start") {           \
    mote::contract::objects_stop(make);                             \
  }                                                                 \
  TEST_CASE(name ": list by prefix and delimiter") {                \
    mote::contract::list_prefix_and_delimiter(make);                \
  }                                                                 \
  TEST_CASE(name ": list binary keys") {                            \
    mote::contract::list_binary_keys(make);                         \
  }                                                                 \
  TEST_CASE(name ": list pages") {                                  \
    mote::contract::list_pages(make);                               \
  }                                                                 \
  TEST_CASE(name ": list hides what is deleted") {                  \
    mote::contract::list_hides_deleted(make);                       \
  }                                                                 \
  TEST_CASE(name ": list uploads") {                                \
    mote::contract::list_uploads_pages(make);                       \
  }                                                                 \
  TEST_CASE(name ": versions of an enabled bucket") {               \
    mote::contract::versions_enabled(make);                         \
  }                                                                 \
  TEST_CASE(name ": versions of a suspended bucket") {              \
    mote::contract::versions_suspended(make);                       \
  }                                                                 \
  TEST_CASE(name ": delete markers") {                              \
    mote::contract::versions_delete_markers(make);                  \
  }                                                                 \
  TEST_CASE(name ": list versions") {                               \
    mote::contract::versions_list(make);                            \
  }                                                                 \
  TEST_CASE(name ": list versions by pages") {                      \
    mote::contract::versions_list_pages(make);                      \
  }                                                                 \
  TEST_CASE(name ": list versions while deleting them") {           \
    mote::contract::versions_delete_while_listing(make);            \
  }                                                                 \
  TEST_CASE(name ": preconditions look at the current version") {   \
    mote::contract::versions_preconditions(make);                   \
  }                                                                 \
  TEST_CASE(name ": multipart complete") {                          \
    mote::contract::multipart_complete(make);                       \
  }                                                                 \
  TEST_CASE(name ": multipart parts") {                             \
    mote::contract::multipart_parts(make);                          \
  }                                                                 \
  TEST_CASE(name ": multipart refuses") {                           \
    mote::contract::multipart_refuse(make);                         \
  }                                                                 \
  TEST_CASE(name ": multipart abort") {                             \
    mote::contract::multipart_abort(make);                          \
  }                                                                 \
  TEST_CASE(name ": multipart with versions and preconditions") {   \
    mote::contract::multipart_versions_and_preconditions(make);     \
  }                                                                 \
  TEST_CASE(name ": of 64 writers with if_absent one wins") {       \
    mote::contract::concurrent_if_absent(make);                     \
  }                                                                 \
  TEST_CASE(name ": of 64 writers with if_match one wins") {        \
    mote::contract::concurrent_if_match(make);                      \
  }                                                                 \
  TEST_CASE(name ": INV-6: a key is a linearizable register") {     \
    mote::contract::concurrent_register(make);                      \
  }                                                                 \
  TEST_CASE(name ": a bucket is deleted or written to, not both") { \
    mote::contract::concurrent_bucket_delete(make);                 \
  }                                                                 \
  TEST_CASE(name ": close") {                                       \
    mote::contract::close_refuses_later_work(make);                 \
  }
