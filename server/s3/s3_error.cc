#include "server/s3/s3_error.h"

#include <array>

namespace mote::s3 {

namespace {

constexpr std::array kErrors = {
#define MOTE_S3_ERROR_ROW(id, code, status, message) ErrorInfo{code, status, message},
    MOTE_S3_ERRORS(MOTE_S3_ERROR_ROW)
#undef MOTE_S3_ERROR_ROW
};

void add_elements(S3Error& error, ErrorElements elements) {
  for (const auto& [name, value] : elements) {
    error.extra.emplace_back(name, value);
  }
}

}  // namespace

const ErrorInfo& describe(ErrorCode code) noexcept {
  return kErrors[static_cast<std::size_t>(code)];
}

S3Error make_error(ErrorCode code, ErrorElements elements) {
  return make_error(code, std::string(describe(code).message), elements);
}

S3Error make_error(ErrorCode code, std::string message, ErrorElements elements) {
  const ErrorInfo& info = describe(code);
  S3Error error;
  error.code = info.code;
  error.status = info.status;
  error.message = std::move(message);
  add_elements(error, elements);
  return error;
}

S3Error invalid_argument(std::string message, std::string_view name, std::string_view value) {
  return make_error(ErrorCode::invalid_argument, std::move(message),
                    {{"ArgumentName", name}, {"ArgumentValue", value}});
}

S3Error not_implemented(std::string message) {
  return make_error(ErrorCode::not_implemented, std::move(message));
}

}  // namespace mote::s3
