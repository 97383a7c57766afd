import StoreModel

/// An error of the App Store Server API: the body of an answer whose status is not a success.
///
/// It may have a code that this version does not know.
public struct ServerAPIError: DescribedError, Hashable, Codable {
  /// Apple's number of the error.
  public let errorCode: Int64
  /// The message, for logs.
  public let errorMessage: String

  public init(errorCode: Int64, errorMessage: String) {
    self.errorCode = errorCode
    self.errorMessage = errorMessage
  }

  /// - Parameter message: replaces the message of the code.
  public init(_ code: ServerAPIErrorCode, message: String? = nil) {
    self.init(errorCode: code.rawValue, errorMessage: message ?? code.message)
  }

  /// The known error; nil if this version does not know the code.
  public var code: ServerAPIErrorCode? { ServerAPIErrorCode(rawValue: errorCode) }
  /// Apple's name of the error without its suffix `Error`; nil if this version does not know the code.
  public var name: String? { code?.name }
  /// The HTTP status of the answer: the code divided by 10,000.
  public var httpStatus: Int { Int(clamping: errorCode / 10_000) }
  /// Whether the same call can succeed if it is sent again. False for unknown codes.
  public var isRetryable: Bool { code?.isRetryable ?? false }

  public var description: String { "\(errorCode) \(name ?? "(unknown)"): \(errorMessage)" }
}

/// Thrown when a request is not valid, with the error that Apple answers and the reason that Apple does not tell.
public struct ServerAPIRefusal: DescribedError, Hashable {
  public let error: ServerAPIError
  /// Why the request is refused, for the developer of the backend that sent it.
  public let reason: String

  public init(_ error: ServerAPIError, _ reason: String) {
    self.error = error
    self.reason = reason
  }

  public init(_ code: ServerAPIErrorCode, _ reason: String) { self.init(ServerAPIError(code), reason) }

  public var description: String { "\(error) (\(reason))" }
}
