import Foundation

/// A page's worth of a file.
struct BookPage: Hashable, Sendable {
  /// From 1.
  let number: Int
  let count: Int
  /// Nil for a file that is no text.
  let text: String?
  /// Of the whole file.
  let sizeBytes: Int

  private static let pageBytes = 1_400
  /// How far behind the end of a page a word may end.
  private static let overhangBytes = 120

  /// - Parameter number: from 1; what is outside of the file counts as its first or last page.
  init(_ number: Int, of file: Data) {
    sizeBytes = file.count
    let count = max(1, (file.count + Self.pageBytes - 1) / Self.pageBytes)
    guard !file.prefix(4_096).contains(0) else {
      (self.number, self.count, text) = (1, 1, nil)
      return
    }
    let number = min(max(number, 1), count)
    let range = Self.edge(number - 1, of: file)..<Self.edge(number, of: file)
    (self.number, self.count) = (number, count)
    text = String(
      decoding: file[file.startIndex + range.lowerBound..<file.startIndex + range.upperBound], as: UTF8.self)
  }

  /// Where a page ends: behind the word that crosses its last byte, and never within a character.
  private static func edge(_ page: Int, of file: Data) -> Int {
    let end = min(page * pageBytes, file.count)
    guard end > 0, end < file.count else { return end }
    let last = min(end + overhangBytes, file.count)
    for place in end..<last where isSpace(file[file.startIndex + place]) { return place + 1 }
    // Words without end: at least no character is cut.
    for place in end..<file.count where file[file.startIndex + place] & 0xC0 != 0x80 { return place }
    return file.count
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }
}
