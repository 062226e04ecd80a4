#include "erasure/set/list.h"

#include <utility>

#include "erasure/meta/keys.h"
#include "erasure/meta/record_codec.h"
#include "erasure/set/list_selection.h"
#include "erasure/set/on_slots.h"

namespace mote::erasure {
namespace {

constexpr std::size_t kBucketIdBytes = 8;

/// Builds one page out of the obj rows of a bucket.
class PageBuilder {
 public:
  PageBuilder(const Index& index, std::uint64_t bucket_id, const ListRequest& request,
              std::uint64_t hidden_max)
      : bucket_id_(bucket_id),
        request_(request),
        selection_{request.prefix, request.delimiter},
        hidden_left_(hidden_max) {
    const std::string lower = object_row(bucket_id, request.prefix);
    cursor_ = index.cursor(Family::obj, lower, prefix_end(lower), false);
  }

  Result<ListPage> build() {
    if (request_.entries_max == 0) {
      return std::move(page_);
    }
    seek_first();
    while (cursor_->valid()) {
      if (request_.stop.stop_requested()) {
        return {Errc::cancelled, "set.list"};
      }
      const Result<bool> more = step();
      if (!more) {
        return more.error();
      }
      if (!*more) {
        page_.truncated = true;
        return std::move(page_);
      }
    }
    if (const Status status = cursor_->status(); !status) {
      return status.error();
    }
    page_.next_after.clear();
    return std::move(page_);
  }

 private:
  void seek_first() {
    if (request_.after < request_.prefix) {
      cursor_->seek(object_row(bucket_id_, request_.prefix));
      return;
    }
    if (const std::string_view passed = selection_.passed(request_.after); !passed.empty()) {
      seek_past(passed);
      return;
    }
    cursor_->seek(object_row(bucket_id_, request_.after + '\0'));
  }
  /// Past every key with this prefix.
  void seek_past(std::string_view prefix) {
    const std::string row = prefix_end(object_row(bucket_id_, prefix));
    if (row.empty()) {
      // No row can follow; the cursor's bound is the end of the bucket's rows.
      while (cursor_->valid()) {
        cursor_->next();
      }
      return;
    }
    cursor_->seek(row);
  }

  /// Takes the entry under the cursor and moves on. False: the page is full, or short for now.
  Result<bool> step() {
    const std::string_view key = cursor_->key().substr(kBucketIdBytes);
    const Result<RecordPeek> peek = peek_record(as_bytes(cursor_->value()));
    if (!peek) {
      return peek.error();
    }
    const std::string_view rolled = selection_.rolled(key);
    if (peek->delete_marker || peek->tombstone) {
      // A page may end behind a hidden key, but not within a common prefix: the marker would hide
      // the rest.
      if (hidden_left_ == 0 && rolled.empty()) {
        page_.next_after = key;
        return false;
      }
      hidden_left_ -= hidden_left_ > 0 ? 1 : 0;
      cursor_->next();
      return true;
    }
    if (page_.entries.size() + page_.common_prefixes.size() >= request_.entries_max) {
      return false;
    }
    if (!rolled.empty()) {
      page_.next_after = page_.common_prefixes.emplace_back(rolled);
      seek_past(page_.next_after);
      return true;
    }
    Result<ObjectRecord> record = decode_record_head(as_bytes(cursor_->value()));
    if (!record) {
      return record.error();
    }
    page_.next_after = key;
    page_.entries.push_back(
        {std::string(key), std::make_shared<const ObjectHead>(to_object_head(*record))});
    cursor_->next();
    return true;
  }

  const std::uint64_t bucket_id_;
  const ListRequest& request_;
  const ListSelection selection_;
  std::uint64_t hidden_left_;
  std::unique_ptr<IndexCursor> cursor_;
  ListPage page_;
};

/// Runs a page builder on a current drive, for a bucket that exists.
template <class Page, class Request>
void start_page(const std::shared_ptr<SetContext>& context, Request request,
                Result<Page> (*build)(const Index&, std::uint64_t, const Request&),
                Completion<Page> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  const std::shared_ptr<const BucketInfo> bucket = context->buckets.find(request.bucket);
  if (!bucket) {
    done(Errc::no_such_bucket);
    return;
  }
  on_current<Page>(
      *context, context->members(), context->options.drive_timeout,
      [id = bucket->id, request = std::move(request), build](Drive& drive) {
        return build(drive.index(), id, request);
      },
      [ticket = *std::move(ticket), done = std::move(done)](Result<Page> page) mutable {
        ticket.leave();
        done(std::move(page));
      });
}

}  // namespace

Result<ListPage> list_page(const Index& index, std::uint64_t bucket_id, const ListRequest& request,
                           std::uint64_t hidden_max) {
  return PageBuilder(index, bucket_id, request, hidden_max).build();
}

void start_list(const std::shared_ptr<SetContext>& context, ListRequest request,
                Completion<ListPage> done) {
  if (request.stop.stop_requested()) {
    done({Errc::cancelled, "set.list"});
    return;
  }
  start_page<ListPage, ListRequest>(
      context, std::move(request),
      [](const Index& index, std::uint64_t id, const ListRequest& asked) {
        return list_page(index, id, asked, kHiddenEntriesMax);
      },
      std::move(done));
}

void start_list_versions(const std::shared_ptr<SetContext>& context, ListVersionsRequest request,
                         Completion<ListVersionsPage> done) {
  if (request.stop.stop_requested()) {
    done({Errc::cancelled, "set.list_versions"});
    return;
  }
  start_page<ListVersionsPage, ListVersionsRequest>(
      context, std::move(request),
      [](const Index& index, std::uint64_t id, const ListVersionsRequest& asked) {
        return list_versions_page(index, id, asked, kHiddenEntriesMax);
      },
      std::move(done));
}

void start_list_uploads(const std::shared_ptr<SetContext>& context, ListUploadsRequest request,
                        Completion<ListUploadsPage> done) {
  start_page<ListUploadsPage, ListUploadsRequest>(
      context, std::move(request),
      [](const Index& index, std::uint64_t id, const ListUploadsRequest& asked) {
        return list_uploads_page(index, id, asked);
      },
      std::move(done));
}

}  // namespace mote::erasure
