#include "erasure/codec/rs_codec.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <isa-l/erasure_code.h>

#include "erasure/base/check.h"

namespace mote::erasure {
namespace {

constexpr std::size_t kTableBytesPerPair = 32;  // ISA-L: 32 bytes per coefficient (erasure_code.h)
constexpr std::size_t kDecodeTablesMax = 1024;

using Row = std::array<unsigned char, kShardsMax>;

// ISA-L takes non-const pointers to what it only reads.
unsigned char* raw(ByteView bytes) noexcept {
  return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
}
unsigned char* raw(ByteSpan bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace

// ISA-L's expanded coefficients for encoding, and for each pattern (shards read, shards made) seen
// so far.
struct RsCodec::Tables {
  using Expanded = std::vector<unsigned char>;
  using Pattern = std::pair<std::uint32_t, std::uint32_t>;  // bit masks: read, made

  std::vector<unsigned char> matrix;  // (k+m) rows of k
  Expanded encode;
  std::mutex mutex;
  std::map<Pattern, std::shared_ptr<const Expanded>> decode;
};

RsCodec::RsCodec(const Geometry& geometry)
    : geometry_(geometry), tables_(std::make_unique<Tables>()) {
  MOTE_CHECK(geometry.valid());
  const int k = geometry.k;
  const int n = static_cast<int>(geometry.shards());
  tables_->matrix.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  gf_gen_cauchy1_matrix(tables_->matrix.data(), n, k);
  if (k == 1) {
    // One data shard: parity is a copy, so that any drive's bytes are the object's bytes.
    std::fill(tables_->matrix.begin(), tables_->matrix.end(), static_cast<unsigned char>(1));
  }
  if (geometry.m > 0) {
    tables_->encode.resize(kTableBytesPerPair * geometry.k * geometry.m);
    ec_init_tables(k, geometry.m, tables_->matrix.data() + static_cast<std::size_t>(k) * geometry.k,
                   tables_->encode.data());
  }
}

RsCodec::~RsCodec() = default;

void RsCodec::encode(std::span<const ByteView> data, std::span<const ByteSpan> parity) const {
  MOTE_CHECK(data.size() == geometry_.k && parity.size() == geometry_.m);
  const std::size_t bytes = data.front().size();
  std::array<unsigned char*, kShardsMax> in{};
  std::array<unsigned char*, kShardsMax> out{};
  for (std::size_t i = 0; i < data.size(); ++i) {
    MOTE_CHECK(data[i].size() == bytes);
    in[i] = raw(data[i]);
  }
  for (std::size_t i = 0; i < parity.size(); ++i) {
    MOTE_CHECK(parity[i].size() == bytes);
    out[i] = raw(parity[i]);
  }
  if (geometry_.m == 0 || bytes == 0) {
    return;
  }
  ec_encode_data(static_cast<int>(bytes), geometry_.k, geometry_.m, tables_->encode.data(),
                 in.data(), out.data());
}

EncodedStripe RsCodec::encode_stripe(ByteView stripe) const {
  MOTE_CHECK(!stripe.empty());
  EncodedStripe result;
  result.count = geometry_.shards();
  result.shard_bytes = geometry_.shard_bytes(stripe.size());
  const std::size_t whole = stripe.size() / result.shard_bytes;  // data shards without padding
  const std::size_t owned = result.count - whole;
  // Each owned shard begins on a vector boundary.
  const std::size_t pitch = align_up(result.shard_bytes, Buffer::kAlignment);
  result.own = Buffer(owned * pitch);
  for (std::size_t i = 0; i < whole; ++i) {
    result.shards[i] = stripe.subspan(i * result.shard_bytes, result.shard_bytes);
  }
  std::array<ByteSpan, kShardsMax> parity{};
  for (std::size_t i = whole; i < result.count; ++i) {
    const ByteSpan shard = result.own.span().subspan((i - whole) * pitch, result.shard_bytes);
    result.shards[i] = shard;
    if (i >= geometry_.k) {
      parity[i - geometry_.k] = shard;
      continue;
    }
    const std::size_t offset = i * result.shard_bytes;
    const std::size_t bytes = offset < stripe.size() ? stripe.size() - offset : 0;
    if (bytes > 0) {
      std::memcpy(shard.data(), stripe.data() + offset, bytes);
    }
    std::memset(shard.data() + bytes, 0, shard.size() - bytes);
  }
  encode(std::span(result.shards).first(geometry_.k), std::span(parity).first(geometry_.m));
  return result;
}

Status RsCodec::reconstruct(std::span<const ByteView> shards,
                            std::span<const WantedShard> wanted) const {
  MOTE_CHECK(shards.size() == geometry_.shards());
  std::array<unsigned, kShardsMax> read{};
  std::uint32_t read_mask = 0;
  std::array<unsigned char*, kShardsMax> in{};
  std::size_t count = 0;
  for (unsigned i = 0; i < shards.size() && count < geometry_.k; ++i) {
    if (shards[i].data() != nullptr) {
      read[count] = i;
      in[count++] = raw(shards[i]);
      read_mask |= 1U << i;
    }
  }
  if (count < geometry_.k) {
    return Error{Errc::read_quorum, 0, "codec.reconstruct"};
  }
  const std::size_t bytes = shards[read[0]].size();
  for (std::size_t i = 1; i < count; ++i) {
    if (shards[read[i]].size() != bytes) {
      return Error{Errc::corrupt, 0, "codec.shard_length"};
    }
  }
  std::array<unsigned char*, kShardsMax> out{};
  std::uint32_t made_mask = 0;
  for (const WantedShard& want : wanted) {
    MOTE_CHECK(want.index < shards.size());
    if (want.out.size() != bytes) {
      return Error{Errc::corrupt, 0, "codec.shard_length"};
    }
    if (shards[want.index].data() != nullptr) {
      std::memcpy(want.out.data(), shards[want.index].data(), bytes);
    } else {
      made_mask |= 1U << want.index;
      out[want.index] = raw(want.out);
    }
  }
  if (made_mask == 0 || bytes == 0) {
    return ok();
  }
  std::size_t made = 0;
  for (unsigned i = 0; i < shards.size(); ++i) {
    if ((made_mask >> i & 1U) != 0) {
      out[made++] = out[i];
    }
  }
  const auto table = decode_table(read_mask, made_mask);
  ec_encode_data(static_cast<int>(bytes), geometry_.k, static_cast<int>(made),
                 const_cast<unsigned char*>(table->data()), in.data(), out.data());
  return ok();
}

std::shared_ptr<const std::vector<unsigned char>> RsCodec::decode_table(
    std::uint32_t read_mask, std::uint32_t made_mask) const {
  {
    const std::lock_guard lock(tables_->mutex);
    const auto found = tables_->decode.find({read_mask, made_mask});
    if (found != tables_->decode.end()) {
      return found->second;
    }
  }
  const std::size_t k = geometry_.k;
  std::vector<unsigned char> survivors;
  for (unsigned i = 0; i < geometry_.shards(); ++i) {
    if ((read_mask >> i & 1U) != 0) {
      const auto row = tables_->matrix.begin() + static_cast<std::ptrdiff_t>(i * k);
      survivors.insert(survivors.end(), row, row + static_cast<std::ptrdiff_t>(k));
    }
  }
  std::vector<unsigned char> inverse(k * k);
  // Any k rows of a Cauchy code are independent: a singular matrix is a bug, not damage.
  MOTE_CHECK(gf_invert_matrix(survivors.data(), inverse.data(), static_cast<int>(k)) == 0);
  std::vector<unsigned char> rows;
  for (unsigned i = 0; i < geometry_.shards(); ++i) {
    if ((made_mask >> i & 1U) == 0) {
      continue;
    }
    for (std::size_t column = 0; column < k; ++column) {
      unsigned char value = 0;
      for (std::size_t j = 0; j < k; ++j) {
        value = static_cast<unsigned char>(
            value ^ gf_mul(tables_->matrix[i * k + j], inverse[j * k + column]));
      }
      rows.push_back(value);
    }
  }
  const std::size_t made = rows.size() / k;
  auto table = std::make_shared<std::vector<unsigned char>>(kTableBytesPerPair * k * made);
  ec_init_tables(static_cast<int>(k), static_cast<int>(made), rows.data(), table->data());
  const std::lock_guard lock(tables_->mutex);
  if (tables_->decode.size() >= kDecodeTablesMax) {
    tables_->decode.clear();
  }
  tables_->decode.insert_or_assign({read_mask, made_mask}, table);
  return table;
}

Status RsCodec::decode_stripe(std::span<const ByteView> shards, ByteSpan out) const {
  const std::size_t shard = geometry_.shard_bytes(out.size());
  std::array<WantedShard, kShardsMax> wanted{};
  std::size_t wanted_count = 0;
  Buffer tail;  // missing data shards that reach past the end of `out`
  for (unsigned i = 0; i < geometry_.k; ++i) {
    const std::size_t offset = i * shard;
    if (offset >= out.size()) {
      break;
    }
    const std::size_t bytes = std::min(shard, out.size() - offset);
    const ByteView from = shards[i];
    if (from.data() != nullptr) {
      if (from.data() != out.data() + offset) {
        std::memcpy(out.data() + offset, from.data(), bytes);
      }
    } else if (bytes == shard) {
      wanted[wanted_count++] = {i, out.subspan(offset, shard)};
    } else {
      tail = Buffer(shard);
      wanted[wanted_count++] = {i, tail.span()};
    }
  }
  if (wanted_count == 0) {
    return ok();
  }
  const Status made = reconstruct(shards, std::span(wanted).first(wanted_count));
  if (made && !tail.empty()) {
    const WantedShard& last = wanted[wanted_count - 1];
    const std::size_t offset = last.index * shard;
    std::memcpy(out.data() + offset, tail.data(), out.size() - offset);
  }
  return made;
}

}  // namespace mote::erasure
