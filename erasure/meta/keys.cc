#include "erasure/meta/keys.h"

#include <algorithm>

#include "erasure/base/byte_io.h"

namespace mote::erasure {
namespace {

constexpr char kEscaped = '\0';
constexpr char kEscape = '\xff';  // 00 FF: a 00 byte of the key
constexpr char kTerminator =
    '\x01';  // 00 01: the key ends; less than 00 FF, so shorter keys come first
constexpr std::size_t kBucketBytes = 8;
constexpr std::size_t kUuidBytes = 16;

void append_escaped(std::string& out, std::string_view key) {
  for (const char c : key) {
    out.push_back(c);
    if (c == kEscaped) {
      out.push_back(kEscape);
    }
  }
}

std::string escaped_rows(std::uint64_t bucket_id, std::string_view key, std::size_t more) {
  std::string row;
  row.reserve(kBucketBytes + key.size() + 2 + more);
  append_big_endian(row, bucket_id);
  append_escaped(row, key);
  row.push_back(kEscaped);
  row.push_back(kTerminator);
  return row;
}

struct Unescaped {
  std::uint64_t bucket_id = 0;
  std::string key;
  std::string_view rest;
};

// Splits bucket_id:8 || esc(key) || 00 01 || rest.
std::optional<Unescaped> unescape(std::string_view row) {
  if (row.size() < kBucketBytes + 2) {
    return std::nullopt;
  }
  Unescaped out;
  out.bucket_id = read_big_endian<std::uint64_t>(row);
  for (std::size_t i = kBucketBytes; i < row.size(); ++i) {
    if (row[i] != kEscaped) {
      out.key.push_back(row[i]);
      continue;
    }
    if (++i == row.size()) {
      return std::nullopt;
    }
    if (row[i] == kTerminator) {
      out.rest = row.substr(i + 1);
      return out.key.empty() ? std::nullopt : std::optional(std::move(out));
    }
    if (row[i] != kEscape) {
      return std::nullopt;
    }
    out.key.push_back(kEscaped);
  }
  return std::nullopt;
}

void append_uuid(std::string& out, const Uuid& id) {
  out.append(as_text(ByteView(id)));
}

Uuid read_uuid(std::string_view in) {
  Uuid id{};
  std::memcpy(id.data(), in.data(), id.size());
  return id;
}

CommitSeq inverted(CommitSeq seq) {
  return {~seq.epoch, ~seq.n};
}

}  // namespace

std::string object_row(std::uint64_t bucket_id, std::string_view key) {
  std::string row;
  row.reserve(kBucketBytes + key.size());
  append_big_endian(row, bucket_id);
  row.append(key);
  return row;
}

std::string bucket_rows(std::uint64_t bucket_id) {
  return object_row(bucket_id, {});
}

std::optional<ObjectRow> parse_object_row(std::string_view row) {
  if (row.size() <= kBucketBytes) {
    return std::nullopt;
  }
  return ObjectRow{read_big_endian<std::uint64_t>(row), row.substr(kBucketBytes)};
}

std::string version_rows(std::uint64_t bucket_id, std::string_view key) {
  return escaped_rows(bucket_id, key, 0);
}

std::string version_row(std::uint64_t bucket_id, std::string_view key, CommitSeq seq) {
  std::string row = escaped_rows(bucket_id, key, kCommitSeqKeyBytes);
  append_commit_seq(row, inverted(seq));
  return row;
}

std::optional<VersionRow> parse_version_row(std::string_view row) {
  std::optional<Unescaped> parts = unescape(row);
  if (!parts || parts->rest.size() != kCommitSeqKeyBytes) {
    return std::nullopt;
  }
  return VersionRow{parts->bucket_id, std::move(parts->key),
                    inverted(read_commit_seq(parts->rest))};
}

std::string escaped_prefix(std::uint64_t bucket_id, std::string_view key_prefix) {
  std::string row;
  append_big_endian(row, bucket_id);
  append_escaped(row, key_prefix);
  return row;
}

std::string payload_row(CommitSeq data_seq, std::uint32_t index) {
  std::string row;
  append_commit_seq(row, data_seq);
  append_big_endian(row, index);
  return row;
}

std::optional<PayloadRow> parse_payload_row(std::string_view row) {
  if (row.size() != kCommitSeqKeyBytes + sizeof(std::uint32_t)) {
    return std::nullopt;
  }
  return PayloadRow{read_commit_seq(row),
                    read_big_endian<std::uint32_t>(row.substr(kCommitSeqKeyBytes))};
}

std::string upload_rows(std::uint64_t bucket_id, std::string_view key) {
  return escaped_rows(bucket_id, key, 0);
}

std::string upload_row(std::uint64_t bucket_id, std::string_view key, const UploadId& upload) {
  std::string row = escaped_rows(bucket_id, key, kUuidBytes + sizeof(std::uint16_t));
  append_uuid(row, upload);
  return row;
}

std::string part_row(std::uint64_t bucket_id, std::string_view key, const UploadId& upload,
                     std::uint16_t number) {
  std::string row = upload_row(bucket_id, key, upload);
  append_big_endian(row, number);
  return row;
}

std::optional<UploadRow> parse_upload_row(std::string_view row) {
  std::optional<Unescaped> parts = unescape(row);
  if (!parts) {
    return std::nullopt;
  }
  const std::string_view rest = parts->rest;
  const bool is_part = rest.size() == kUuidBytes + sizeof(std::uint16_t);
  if (rest.size() != kUuidBytes && !is_part) {
    return std::nullopt;
  }
  UploadRow out{parts->bucket_id, std::move(parts->key), read_uuid(rest), std::nullopt};
  if (is_part) {
    out.part = read_big_endian<std::uint16_t>(rest.substr(kUuidBytes));
  }
  return out;
}

std::string garbage_row(CommitSeq seq, const Uuid& file) {
  std::string row;
  append_commit_seq(row, seq);
  append_uuid(row, file);
  return row;
}

std::optional<GarbageRow> parse_garbage_row(std::string_view row) {
  if (row.size() != kCommitSeqKeyBytes + kUuidBytes) {
    return std::nullopt;
  }
  return GarbageRow{read_commit_seq(row), read_uuid(row.substr(kCommitSeqKeyBytes))};
}

std::string bucket_row(std::string_view name) {
  std::string row(kBucketRows);
  row.append(name);
  return row;
}

std::optional<std::string_view> parse_bucket_row(std::string_view row) {
  if (row.size() <= kBucketRows.size() || row.substr(0, kBucketRows.size()) != kBucketRows) {
    return std::nullopt;
  }
  return row.substr(kBucketRows.size());
}

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') {
    end.pop_back();
  }
  if (!end.empty()) {
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  }
  return end;
}

}  // namespace mote::erasure
