/// The body of an HTTP response that a fault changes.
public struct AnswerBytes: Sendable {
  public var bytes: [UInt8]
  /// Whether the connection is closed before the end of the response. Its header `Content-Length` is then that of the whole
  /// body.
  public var isCutOff = false

  package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Thrown in place of an answer whose bytes a fault changes.
package struct AlteredAnswer: Error {
  package let result: Result<any Sendable, any Error>
  package let change: @Sendable (inout AnswerBytes) -> Void
}
