import Foundation

/// What a photograph may be, known by its first bytes.
enum PhotographType: String, CaseIterable, Sendable {
  case jpeg
  case png
  case webp

  /// - Returns: nil for anything else, whatever it is called.
  init?(_ file: Data) {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if file.count >= 12, file.starts(with: Data("RIFF".utf8)), file.dropFirst(8).starts(with: Data("WEBP".utf8))
    {
      self = .webp
    } else {
      return nil
    }
  }

  var contentType: String { "image/\(rawValue)" }
}
