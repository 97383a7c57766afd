import Foundation
import HTTPTransport

/// Takes an answer to the request for a file, as it comes, and writes it to its part.
///
/// Unchecked because it has no lock: the exchange calls it from one thread at a time, and the properties are read after the exchange.
final class PartReceiver: HTTPReplySink, @unchecked Sendable {
  private(set) var download: FileDownload
  private(set) var meaning: FileDownload.Meaning?
  private(set) var head: HTTPReplyHead?
  /// Of a refusal.
  private(set) var body = Data()
  private let part: PartFile
  private let restarted: (FileDownload) throws -> Void
  private let progressed: (Int64) -> Void

  /// More came than the file has.
  struct TooMuch: Error {}

  /// A refusal is a few words.
  private static let longestRefusalBytes = 16 * 1024

  /// - Parameters:
  ///   - restarted: puts the tag of a body that begins on record, before anything of it is written.
  ///   - progressed: told how much of the file is here.
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
