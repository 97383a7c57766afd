import DurableSQLite
import Foundation

/// The photograph that filters are applied to: the customer's, or the one in the app's resources.
struct PhotographAlbum: Sendable {
  static let largestBytes = 10 << 20

  private let file: URL

  /// - Parameter folder: the app's folder. The photograph is stored there, and is deleted with the app.
  init(folder: URL) { file = folder.appending(path: "photograph") }

  /// Returns the photograph and its type.
  ///
  /// - Throws: `DurableSQLiteError` if it cannot be read.
  func photograph() throws -> (type: PhotographType, bytes: Data) {
    if let own = try DurableFile.read(file), let type = PhotographType(own) { return (type, own) }
    return (.jpeg, Data(PackageResources.photograph_jpg))
  }

  var isOwn: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A text that changes with the photograph. It is part of the image's address, so that browsers do not show an old
  /// one.
  var version: String {
    guard let change = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    else { return "first" }
    return String(Int(change.timeIntervalSince1970 * 1_000))
  }

  /// Replaces the photograph.
  ///
  /// - Throws: ``PhotographError``; `DurableSQLiteError`. The old photograph then stays.
  func replace(with bytes: Data) throws {
    guard bytes.count <= Self.largestBytes else { throw PhotographError.tooLarge }
    guard PhotographType(bytes) != nil else { throw PhotographError.unknownType }
    try DurableFile.replace(file, with: bytes)
  }

  /// Removes the customer's photograph. The one in the app's resources is used again.
  func remove() throws { try DurableFile.remove(file) }
}

/// Thrown when a photograph is not accepted.
enum PhotographError: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge
  case unknownType
  case missing

  var description: String {
    switch self {
    case .tooLarge: "A photograph can have at most 10 MB. Choose a smaller one."
    case .unknownType: "The file is not a JPEG, PNG or WebP image."
    case .missing: "Choose a photograph first."
    }
  }
}

/// The accepted types of photographs, detected from the first bytes.
enum PhotographType: String, CaseIterable, Sendable {
  case jpeg
  case png
  case webp

  /// Detects the type from the first bytes, not from the file's name. Returns nil for any other type.
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
