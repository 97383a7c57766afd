import Testing

@testable import AppStoreServerAPI

@Suite("Errors of the Server API", .timeLimit(.minutes(30)))
struct ErrorTableTests {
  @Test("the HTTP status is the first three digits of the code, and only the names with Retryable are retryable")
  func table() {
    for code in ServerAPIErrorCode.allCases {
      let error = ServerAPIError(code)
      #expect([400, 403, 404, 429, 500].contains(error.httpStatus))
      #expect(error.isRetryable == (error.name?.hasSuffix("Retryable") == true))
      #expect(!error.errorMessage.isEmpty)
    }
    let retryable = ServerAPIErrorCode.allCases.filter(\.isRetryable).map(\.rawValue)
    #expect(retryable == [4_040_002, 4_040_004, 4_040_006, 5_000_001])
    #expect(ServerAPIErrorCode.invalidTransactionId.name == "InvalidTransactionId")
    #expect(ServerAPIErrorCode.serverNotificationURLNotFound.name == "ServerNotificationURLNotFound")
  }

  @Test("an unknown code keeps its number, has its status, and is not retried")
  func unknown() {
    let error = ServerAPIError(errorCode: 4_090_017, errorMessage: "New.")
    #expect(error.code == nil && error.name == nil && error.httpStatus == 409 && !error.isRetryable)
  }
}
