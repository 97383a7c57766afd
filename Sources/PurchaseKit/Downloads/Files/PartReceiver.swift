import Foundation
import HTTPTransport

/// Receives the response to a request for a file, and writes it to the file's part.
///
/// Unchecked because it has no lock: the exchange calls it from one thread at a time, and the properties are read after the
/// exchange.
final class PartReceiver: HTTPReplySink, @unchecked Sendable {
  private(set) var download: FileDownload
  private(set) var meaning: FileDownload.Meaning?
  private(set) var head: HTTPReplyHead?
  /// The body of a refusal, up to a limit.
  private(set) var body = Data()
  private let part: PartFile
  private let restarted: (FileDownload) throws -> Void
  private let progressed: (Int64) -> Void

  /// Thrown when the response has more bytes than the file.
  struct TooMuch: Error {}

  /// The number of bytes up to which a refusal is kept. The last piece is kept whole, so `body` may be longer.
  private static let longestRefusalBytes = 16 * 1024

  /// - Parameters:
  ///   - restarted: records the entity tag of a new body, before its first bytes are written.
  ///   - progressed: receives the number of downloaded bytes.
  init(
    _ download: FileDownload, part: PartFile, restarted: @escaping (FileDownload) throws -> Void,
    progressed: @escaping (Int64) -> Void
  ) {
    self.download = download
    self.part = part
    self.restarted = restarted
    self.progressed = progressed
  }

  func begin(_ head: HTTPReplyHead) throws {
    self.head = head
    meaning = download.answered(head)
    guard meaning == .restart else { return }
    try part.empty()
    try restarted(download)
    progressed(0)
  }

  func take(_ bytes: Data) throws {
    switch meaning {
    case .append, .restart:
      guard download.received(Int64(bytes.count)) else { throw TooMuch() }
      try part.write(bytes)
      progressed(download.receivedBytes)
    default:
      if body.count < Self.longestRefusalBytes { body.append(bytes) }
    }
  }
}
