#include <memory>
#include <utility>

#include "erasure/meta/keys.h"
#include "erasure/meta/record_codec.h"
#include "erasure/set/list.h"
#include "erasure/set/list_selection.h"

namespace mote::erasure {
namespace {

constexpr std::size_t kBucketIdBytes = 8;

/// Builds one page of versions: heads from obj in key order, each followed by the key's rows of
/// `ver`, under one snapshot. A key with versions always has a head: its newest version or delete
/// marker.
class VersionsBuilder {
 public:
  VersionsBuilder(const Index& index, std::uint64_t bucket_id, const ListVersionsRequest& request,
                  std::uint64_t hidden_max)
      : index_(index),
        bucket_id_(bucket_id),
        request_(request),
        selection_{request.prefix, request.delimiter},
        hidden_left_(hidden_max),
        at_(index.snapshot()) {
    const std::string lower = object_row(bucket_id, request.prefix);
    heads_ = index.cursor(Family::obj, lower, prefix_end(lower), false, at_.get());
  }

  Result<ListVersionsPage> build() {
    if (request_.entries_max == 0) {
      return std::move(page_);
    }
    if (const Result<bool> more = resume(); !more) {
      return more.error();
    } else if (!*more) {
      return finish(true);
    }
    seek_first();
    while (heads_->valid()) {
      if (request_.stop.stop_requested()) {
        return {Errc::cancelled, "set.list_versions"};
      }
      const Result<bool> more = step();
      if (!more) {
        return more.error();
      }
      if (!*more) {
        return finish(true);
      }
    }
    if (const Status status = heads_->status(); !status) {
      return status.error();
    }
    return finish(false);
  }

 private:
  Result<ListVersionsPage> finish(bool truncated) {
    page_.truncated = truncated;
    if (!truncated) {
      page_.next_key.clear();
      page_.next_version = kNullVersion;
    }
    return std::move(page_);
  }
  [[nodiscard]] bool full() const {
    return page_.entries.size() + page_.common_prefixes.size() >= request_.entries_max;
  }

  /// The versions of the marked key that are older than the marked one. If that one is gone, all of
  /// them: who deletes page by page must not miss the rest.
  Result<bool> resume() {
    const std::string& key = request_.key_marker;
    if (!request_.version_marker || !selection_.holds(key) || !selection_.rolled(key).empty()) {
      return true;
    }
    const Result<std::optional<Slice>> head =
        index_.get(Family::obj, object_row(bucket_id_, key), ReadTier::device, at_.get());
    if (!head) {
      return head.error();
    }
    if (!head->has_value()) {
      return true;
    }
    const Result<ObjectRecord> record = decode_record_head((*head)->bytes);
    if (!record) {
      return record.error();
    }
    if (record->tombstone) {
      return true;
    }
    const Result<std::size_t> passed = count_passed(key, *record);
    if (!passed) {
      return passed.error();
    }
    return add_key(key, *record, *passed);
  }
  /// How many of the newest versions of the marked key the marker leaves out.
  Result<std::size_t> count_passed(const std::string& key, const ObjectRecord& head) {
    if (head.version == *request_.version_marker) {
      return std::size_t{1};
    }
    const std::string lower = version_rows(bucket_id_, key);
    const auto older = index_.cursor(Family::ver, lower, prefix_end(lower), false, at_.get());
    std::size_t count = 1;
    for (older->seek(lower); older->valid(); older->next()) {
      ++count;
      const Result<RecordPeek> peek = peek_record(as_bytes(older->value()));
      if (!peek) {
        return peek.error();
      }
      if (peek->version == *request_.version_marker) {
        return count;
      }
    }
    if (const Status status = older->status(); !status) {
      return status.error();
    }
    return std::size_t{0};
  }

  void seek_first() {
    const std::string& after = request_.key_marker;
    if (after < request_.prefix) {
      heads_->seek(object_row(bucket_id_, request_.prefix));
      return;
    }
    if (const std::string_view passed = selection_.passed(after); !passed.empty()) {
      seek_past(passed);
      return;
    }
    heads_->seek(object_row(bucket_id_, after + '\0'));
  }
  void seek_past(std::string_view prefix) {
    const std::string row = prefix_end(object_row(bucket_id_, prefix));
    if (!row.empty()) {
      heads_->seek(row);
      return;
    }
    while (heads_->valid()) {
      heads_->next();
    }
  }

  Result<bool> step() {
    const std::string key(heads_->key().substr(kBucketIdBytes));
    const Result<ObjectRecord> record = decode_record_head(as_bytes(heads_->value()));
    if (!record) {
      return record.error();
    }
    const std::string_view rolled = selection_.rolled(key);
    if (record->tombstone) {
      if (hidden_left_ == 0 && rolled.empty()) {
        page_.next_key = key;
        page_.next_version = kNullVersion;
        return false;
      }
      hidden_left_ -= hidden_left_ > 0 ? 1 : 0;
      heads_->next();
      return true;
    }
    if (full()) {
      return false;
    }
    if (!rolled.empty()) {
      page_.next_key = page_.common_prefixes.emplace_back(rolled);
      page_.next_version = kNullVersion;
      seek_past(rolled);
      return true;
    }
    const Result<bool> fitted = add_key(key, *record, 0);
    if (!fitted || !*fitted) {
      return fitted;
    }
    heads_->next();
    return true;
  }

  /// Adds the versions of a key that are older than the `from` newest. False if not all fitted.
  Result<bool> add_key(const std::string& key, const ObjectRecord& head, std::size_t from) {
    if (from == 0) {
      if (full()) {
        return false;
      }
      add(key, true, head);
    }
    const std::string lower = version_rows(bucket_id_, key);
    const auto older = index_.cursor(Family::ver, lower, prefix_end(lower), false, at_.get());
    std::size_t position = 1;
    for (older->seek(lower); older->valid(); older->next(), ++position) {
      if (position < from) {
        continue;
      }
      if (full()) {
        return false;
      }
      const Result<ObjectRecord> record = decode_record_head(as_bytes(older->value()));
      if (!record) {
        return record.error();
      }
      add(key, false, *record);
    }
    if (const Status status = older->status(); !status) {
      return status.error();
    }
    return true;
  }
  void add(const std::string& key, bool latest, const ObjectRecord& record) {
    page_.entries.push_back(
        {key, latest, std::make_shared<const ObjectHead>(to_object_head(record))});
    page_.next_key = key;
    page_.next_version = record.version;
  }

  const Index& index_;
  const std::uint64_t bucket_id_;
  const ListVersionsRequest& request_;
  const ListSelection selection_;
  std::uint64_t hidden_left_;
  const std::unique_ptr<IndexSnapshot> at_;
  std::unique_ptr<IndexCursor> heads_;
  ListVersionsPage page_;
};

}  // namespace

Result<ListVersionsPage> list_versions_page(const Index& index, std::uint64_t bucket_id,
                                            const ListVersionsRequest& request,
                                            std::uint64_t hidden_max) {
  return VersionsBuilder(index, bucket_id, request, hidden_max).build();
}

}  // namespace mote::erasure
