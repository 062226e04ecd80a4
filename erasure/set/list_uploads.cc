#include <memory>
#include <utility>

#include "erasure/meta/keys.h"
#include "erasure/meta/record_codec.h"
#include "erasure/set/list.h"
#include "erasure/set/list_selection.h"
#include "erasure/set/uploads.h"

namespace mote::erasure {
namespace {

/// Builds one page of uploads out of the mpu rows of a bucket, seeking past each upload's parts.
class UploadsBuilder {
 public:
  UploadsBuilder(const Index& index, std::uint64_t bucket_id, const ListUploadsRequest& request)
      : bucket_id_(bucket_id), request_(request), selection_{request.prefix, request.delimiter} {
    const std::string lower = escaped_prefix(bucket_id, request.prefix);
    cursor_ = index.cursor(Family::mpu, lower, prefix_end(lower), false);
  }

  Result<ListUploadsPage> build() {
    if (request_.entries_max == 0) {
      return std::move(page_);
    }
    seek_first();
    while (cursor_->valid()) {
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
    page_.next_key.clear();
    page_.next_upload = {};
    return std::move(page_);
  }

 private:
  void seek(const std::string& row) {
    if (!row.empty()) {
      cursor_->seek(row);
      return;
    }
    while (cursor_->valid()) {
      cursor_->next();
    }
  }
  void seek_first() {
    const std::string& marker = request_.key_marker;
    if (marker < request_.prefix || marker.empty()) {
      cursor_->seek(escaped_prefix(bucket_id_, request_.prefix));
      return;
    }
    if (const std::string_view passed = selection_.passed(marker); !passed.empty()) {
      seek(prefix_end(escaped_prefix(bucket_id_, passed)));
      return;
    }
    // Greater than the marker itself (its rows end 00 01), not than every key that begins with it.
    seek(request_.upload_marker
             ? prefix_end(upload_row(bucket_id_, marker, *request_.upload_marker))
             : prefix_end(upload_rows(bucket_id_, marker)));
  }

  Result<bool> step() {
    const std::optional<UploadRow> row = parse_upload_row(cursor_->key());
    if (!row || row->part) {
      cursor_->next();  // a part without its session is no upload
      return true;
    }
    if (page_.entries.size() + page_.common_prefixes.size() >= request_.entries_max) {
      return false;
    }
    const std::string_view rolled = selection_.rolled(row->key);
    if (!rolled.empty()) {
      page_.next_key = page_.common_prefixes.emplace_back(rolled);
      page_.next_upload = {};
      seek(prefix_end(escaped_prefix(bucket_id_, rolled)));
      return true;
    }
    Result<UploadRecord> record = decode_upload(as_bytes(cursor_->value()));
    if (!record) {
      return record.error();
    }
    page_.next_key = row->key;
    page_.next_upload = row->upload;
    page_.entries.push_back(upload_info(request_.bucket, *std::move(record)));
    seek(prefix_end(upload_row(bucket_id_, row->key, row->upload)));
    return true;
  }

  const std::uint64_t bucket_id_;
  const ListUploadsRequest& request_;
  const ListSelection selection_;
  std::unique_ptr<IndexCursor> cursor_;
  ListUploadsPage page_;
};

}  // namespace

Result<ListUploadsPage> list_uploads_page(const Index& index, std::uint64_t bucket_id,
                                          const ListUploadsRequest& request) {
  return UploadsBuilder(index, bucket_id, request).build();
}

}  // namespace mote::erasure
