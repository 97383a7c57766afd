import Foundation

/// Cuts what arrives into lines.
final class LineSplitter: @unchecked Sendable {
  private let lock = NSLock()
  private var rest = Data()

  /// The lines that are whole now, without their ends.
  func add(_ data: Data) -> [String] {
    lock.withLock {
      rest.append(data)
      var lines: [String] = []
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      }
      return lines
    }
  }
}
