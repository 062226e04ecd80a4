#include <algorithm>
#include <set>

#include "tests/contract/store_contract.h"

namespace mote::contract {
namespace {

ListVersionsRequest request(std::string prefix = "", std::string delimiter = "",
                            std::uint32_t entries_max = 1000) {
  return {"b", std::move(prefix), std::move(delimiter), "", {}, entries_max, {}};
}

}  // namespace

void versions_enabled(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 10, 1));  // the null version, from before
  client.set_versioning("b", Versioning::enabled);
  std::vector<VersionId> ids = {kNullVersion};
  std::set<VersionId> distinct(ids.begin(), ids.end());
  std::uint64_t commit = 0;
  const std::vector<std::uint64_t> sizes = {10, 20, 0, 2 * kMiB, 300 * kKiB};
  for (std::uint64_t seed = 2; seed <= sizes.size(); ++seed) {
    const auto put = client.put("b", "k", sizes[seed - 1], seed);
    REQUIRE_OK(put);
    CHECK(put->head->versioned);
    CHECK(put->head->commit > commit);
    commit = put->head->commit;
    CHECK(distinct.insert(put->head->version).second);
    ids.push_back(put->head->version);
    CHECK((*client.head("b", "k"))->version == put->head->version);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CAPTURE(i);
    auto opened = client.open("b", "k", ids[i]);
    REQUIRE_OK(opened);
    CHECK(opened->head->bytes == sizes[i]);
    CHECK(client.holds(*opened, i + 1));
    CHECK(opened->head->versioned == (i > 0));
  }
  CHECK_ERR(client.head("b", "k", VersionId{std::byte{3}}), Errc::no_such_version);
  // Deleting a version: the next older is the current one, the rest stays.
  const auto removed = client.remove("b", "k", ids[4]);
  REQUIRE_OK(removed);
  CHECK(removed->existed);
  CHECK(removed->versioned);
  CHECK_FALSE(removed->made_marker);
  CHECK_FALSE(removed->removed_marker);
  CHECK(removed->version == ids[4]);
  auto current = client.open("b", "k");
  REQUIRE_OK(current);
  CHECK(current->head->version == ids[3]);
  CHECK(client.holds(*current, 4));
  REQUIRE_OK(client.remove("b", "k", ids[1]));
  CHECK_ERR(client.head("b", "k", ids[1]), Errc::no_such_version);
  CHECK((*client.head("b", "k"))->version == ids[3]);
  REQUIRE_OK(client.remove("b", "k", ids[3]));
  REQUIRE_OK(client.remove("b", "k", ids[2]));
  CHECK((*client.head("b", "k"))->version == kNullVersion);
  const auto absent = client.remove("b", "k", ids[2]);
  REQUIRE_OK(absent);
  CHECK_FALSE(absent->existed);
  REQUIRE_OK(client.remove("b", "k", kNullVersion));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  CHECK_OK(client.delete_bucket("b"));
}

void versions_suspended(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  const auto kept = client.put("b", "k", 10, 1);
  REQUIRE_OK(kept);
  client.set_versioning("b", Versioning::suspended);
  for (std::uint64_t seed = 2; seed < 5; ++seed) {  // each replaces the null version before
    const auto put = client.put("b", "k", 10, seed);
    REQUIRE_OK(put);
    CHECK(put->head->version == kNullVersion);
    CHECK(list_all_versions(client, request()).entries.size() == 2);
  }
  client.set_versioning("b", Versioning::enabled);
  const auto newest = client.put("b", "k", 10, 5);
  REQUIRE_OK(newest);
  client.set_versioning("b", Versioning::suspended);
  // A null version that is not the newest is replaced too, and the new one is current.
  REQUIRE_OK(client.put("b", "k", 10, 6));
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 6));
  const auto listed = list_all_versions(client, request());
  REQUIRE(listed.entries.size() == 3);
  CHECK(listed.entries[0].head->version == kNullVersion);
  CHECK(listed.entries[1].head->version == newest->head->version);
  CHECK(listed.entries[2].head->version == kept->head->version);
  // So is it by a delete, whose marker is the null version then.
  const auto removed = client.remove("b", "k");
  REQUIRE_OK(removed);
  CHECK(removed->existed);
  CHECK(removed->made_marker);
  CHECK(removed->versioned);
  CHECK(removed->version == kNullVersion);
  CHECK_ERR(client.head("b", "k"), Errc::delete_marker);
  CHECK_ERR(client.head("b", "k", kNullVersion), Errc::delete_marker);
  CHECK(list_all_versions(client, request()).entries.size() == 3);
  CHECK_OK(client.head("b", "k", kept->head->version));
  REQUIRE_OK(client.put("b", "k", 10, 7));  // and a put replaces the marker
  const auto after = list_all_versions(client, request());
  REQUIRE(after.entries.size() == 3);
  CHECK(std::none_of(after.entries.begin(), after.entries.end(),
                     [](const VersionEntry& entry) { return entry.head->delete_marker; }));
}

void versions_delete_markers(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  const auto put = client.put("b", "k", 10, 1);
  REQUIRE_OK(put);
  const auto first = client.remove("b", "k");
  REQUIRE_OK(first);
  CHECK(first->existed);
  CHECK(first->made_marker);
  CHECK(first->versioned);
  CHECK(first->version != kNullVersion);
  CHECK_ERR(client.head("b", "k"), Errc::delete_marker);
  CHECK_ERR(client.open("b", "k"), Errc::delete_marker);
  CHECK_ERR(client.open("b", "k", first->version), Errc::delete_marker);
  CHECK_OK(client.head("b", "k", put->head->version));

  const auto second = client.remove("b", "k");  // each delete makes a marker
  REQUIRE_OK(second);
  CHECK(second->made_marker);
  CHECK_FALSE(second->existed);
  CHECK(second->version != first->version);
  const auto third = client.remove("b", "never-there");
  REQUIRE_OK(third);
  CHECK(third->made_marker);
  CHECK_FALSE(third->existed);
  CHECK_ERR(client.head("b", "never-there"), Errc::delete_marker);

  const auto listed = list_all_versions(client, request());
  REQUIRE(listed.entries.size() == 4);
  CHECK(listed.entries[0].head->delete_marker);
  CHECK(listed.entries[0].latest);
  CHECK(listed.entries[0].head->version == second->version);
  CHECK(listed.entries[1].head->delete_marker);
  CHECK_FALSE(listed.entries[1].latest);
  CHECK(listed.entries[1].head->version == first->version);
  CHECK_FALSE(listed.entries[2].head->delete_marker);

  const auto undo = client.remove("b", "k", second->version);
  REQUIRE_OK(undo);
  CHECK(undo->existed);
  CHECK(undo->removed_marker);
  CHECK_FALSE(undo->made_marker);
  CHECK(undo->version == second->version);
  CHECK_ERR(client.head("b", "k"), Errc::delete_marker);
  REQUIRE_OK(client.remove("b", "k", first->version));
  auto back = client.open("b", "k");
  REQUIRE_OK(back);
  CHECK(client.holds(*back, 1));
  REQUIRE_OK(client.remove("b", "never-there", third->version));
  CHECK_ERR(client.head("b", "never-there"), Errc::no_such_key);
}

void versions_list(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  for (const char* key : {"a", "a/1", "a/2", "b"}) {  // never versioned: null versions
    REQUIRE_OK(client.put("b", key, 10, 1));
  }
  auto listed = list_all_versions(client, request());
  REQUIRE(listed.entries.size() == 4);
  for (const VersionEntry& entry : listed.entries) {
    CHECK(entry.latest);
    CHECK(entry.head->version == kNullVersion);
    CHECK(entry.head->bytes == 10);
  }
  client.set_versioning("b", Versioning::enabled);
  const auto second = client.put("b", "a", 20, 2);
  const auto third = client.put("b", "a", 30, 3);
  REQUIRE_OK(second);
  REQUIRE_OK(third);
  REQUIRE_OK(client.remove("b", "a/1"));
  listed = list_all_versions(client, request());
  REQUIRE(listed.entries.size() == 7);
  CHECK(listed.entries[0].key == "a");
  CHECK(listed.entries[0].latest);
  CHECK(listed.entries[0].head->version == third->head->version);
  CHECK(listed.entries[0].head->etag == tag_of(3));
  CHECK(listed.entries[1].head->version == second->head->version);
  CHECK_FALSE(listed.entries[1].latest);
  CHECK(listed.entries[2].head->version == kNullVersion);
  CHECK_FALSE(listed.entries[2].latest);
  CHECK(listed.entries[3].key == "a/1");
  CHECK(listed.entries[3].head->delete_marker);
  CHECK(listed.entries[4].key == "a/1");
  CHECK(listed.entries[6].key == "b");

  listed = list_all_versions(client, request("", "/"));
  CHECK(listed.entries.size() == 4);
  CHECK(listed.prefixes == std::vector<std::string>{"a/"});
  listed = list_all_versions(client, request("a/", "/"));
  CHECK(listed.entries.size() == 3);
  CHECK(listed.prefixes.empty());
  // Only markers left under a prefix: a versions listing still shows it.
  REQUIRE_OK(client.remove("b", "a/1", kNullVersion));
  REQUIRE_OK(client.remove("b", "a/2", kNullVersion));
  CHECK(list_all_versions(client, request("", "/")).prefixes == std::vector<std::string>{"a/"});
  const auto none = client.list_versions(request("", "", 0));
  REQUIRE_OK(none);
  CHECK(none->entries.empty());
  CHECK_FALSE(none->truncated);
}

void versions_list_pages(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  std::vector<std::pair<std::string, VersionId>> expected;
  for (const std::string& key : {std::string("a"), std::string("a\0", 2), std::string("a/x"),
                                 std::string("b\xFF"), std::string("c/y/z"), std::string("d")}) {
    std::vector<std::pair<std::string, VersionId>> versions;
    for (std::uint64_t seed = 0; seed < 7; ++seed) {
      if (seed == 4) {
        const auto removed = client.remove("b", key);
        REQUIRE_OK(removed);
        versions.emplace_back(key, removed->version);
      } else {
        const auto put = client.put("b", key, 10, seed);
        REQUIRE_OK(put);
        versions.emplace_back(key, put->head->version);
      }
    }
    expected.insert(expected.end(), versions.rbegin(), versions.rend());
  }
  for (const std::uint32_t page : {1U, 2U, 5U, 7U, 1000U}) {
    CAPTURE(page);
    std::vector<std::pair<std::string, VersionId>> got;
    for (const VersionEntry& entry : list_all_versions(client, request("", "", page)).entries) {
      got.emplace_back(entry.key, entry.head->version);
    }
    CHECK(got == expected);
    const auto rolled = list_all_versions(client, request("", "/", page));
    CHECK(rolled.entries.size() == 28);
    CHECK(rolled.prefixes == std::vector<std::string>{"a/", "c/"});
  }
  ListVersionsRequest after = request();
  after.key_marker = "b\xFF";
  CHECK(list_all_versions(client, after).entries.size() == 14);
  after.version_marker = expected[21].second;  // the newest of that key
  CHECK(list_all_versions(client, after).entries.size() == 20);
  after.version_marker = expected[27].second;  // the oldest
  CHECK(list_all_versions(client, after).entries.size() == 14);
}

/// What `rclone purge` and every test's clean-up do: the version named by the marker is gone by the
/// time the next page is asked for, and nothing may be missed.
void versions_delete_while_listing(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  for (int i = 0; i < 40; ++i) {
    REQUIRE_OK(client.put("b", "k" + std::to_string(i % 4), 10, 1));
  }
  ListVersionsRequest list = request("", "", 7);
  for (bool more = true; more;) {
    const auto page = client.list_versions(list);
    REQUIRE_OK(page);
    for (const VersionEntry& entry : page->entries) {
      REQUIRE_OK(client.remove("b", entry.key, entry.head->version));
    }
    more = page->truncated;
    list.key_marker = page->next_key;
    list.version_marker = page->next_version;
  }
  CHECK(list_all_versions(client, request()).entries.empty());
  CHECK_OK(client.delete_bucket("b"));
}

void versions_preconditions(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  Preconditions absent;
  absent.if_absent = true;
  Preconditions first_tag;
  first_tag.if_match = std::vector<ETag>{tag_of(1)};
  REQUIRE_OK(client.put("b", "k", 10, 1, absent));
  CHECK_ERR(client.put("b", "k", 10, 2, absent), Errc::precondition_failed);
  REQUIRE_OK(client.put("b", "k", 10, 2, first_tag));
  CHECK_ERR(client.put("b", "k", 10, 3, first_tag), Errc::precondition_failed);
  CHECK_ERR(client.remove("b", "k", {}, first_tag), Errc::precondition_failed);
  Preconditions not_second_tag;
  not_second_tag.if_none_match = {tag_of(9), tag_of(2)};
  CHECK_ERR(client.put("b", "k", 10, 3, not_second_tag), Errc::precondition_failed);
  REQUIRE_OK(client.remove("b", "k"));
  // Behind a delete marker there is no current object.
  CHECK_ERR(client.put("b", "k", 10, 3, first_tag), Errc::precondition_failed);
  REQUIRE_OK(client.put("b", "k", 10, 3, absent));
  REQUIRE_OK(client.put("b", "k", 10, 4, not_second_tag));  // older versions do not count
  CHECK(list_all_versions(client, request()).entries.size() == 5);
}

}  // namespace mote::contract
