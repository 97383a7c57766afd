import Foundation

/// One page of a file.
struct BookPage: Hashable, Sendable {
  /// The number of the page, from 1.
  let number: Int
  let count: Int
  /// The page's text; nil if the file is not text.
  let text: String?
  /// The size of the whole file.
  let sizeBytes: Int

  private static let pageBytes = 1_400
  /// The maximum distance between the nominal end of a page and the end of its last word.
  private static let overhangBytes = 120

  /// - Parameter number: from 1. Numbers outside the file become the first or the last page.
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

  /// Returns the end of a page. A page ends after the word that crosses its nominal end, and never within a character.
  private static func edge(_ page: Int, of file: Data) -> Int {
    let end = min(page * pageBytes, file.count)
    guard end > 0, end < file.count else { return end }
    let last = min(end + overhangBytes, file.count)
    for place in end..<last where isSpace(file[file.startIndex + place]) { return place + 1 }
    // No word ends in that range, so the page ends between two characters.
    for place in end..<file.count where file[file.startIndex + place] & 0xC0 != 0x80 { return place }
    return file.count
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }
}
