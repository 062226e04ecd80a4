#include "server/s3/operation.h"

#include <array>

namespace mote::s3 {

namespace {

constexpr std::array kOperations = {
#define MOTE_S3_OP_ROW(id, name, action, resource, body, access) \
  OperationInfo{Op::id, name, action, Resource::resource, BodyUse::body, Access::access},
    MOTE_S3_OPERATIONS(MOTE_S3_OP_ROW)
#undef MOTE_S3_OP_ROW
};

}  // namespace

std::span<const OperationInfo> operations() noexcept {
  return kOperations;
}

const OperationInfo& describe(Op op) noexcept {
  return kOperations[static_cast<std::size_t>(op)];
}

}  // namespace mote::s3
