import Foundation
import StoreModel

/// Splits the data that arrives into lines.
final class LineSplitter: Sendable {
  private let rest = LockedValue(Data())

  /// The lines that are complete now, without their ends.
  func add(_ data: Data) -> [String] {
    rest.withLock { rest in
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
