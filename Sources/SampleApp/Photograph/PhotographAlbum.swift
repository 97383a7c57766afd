import DurableSQLite
import Foundation

/// The photograph that filters are for: the customer's, or the one that comes with the app.
struct PhotographAlbum: Sendable {
  static let largestBytes = 10 << 20

  private let file: URL

  /// - Parameter folder: the app's; the photograph goes with it.
  init(folder: URL) { file = folder.appending(path: "photograph") }

  /// The photograph, and what it is.
  ///
  /// - Throws: `DurableSQLiteError` where it cannot be read.
  func photograph() throws -> (type: PhotographType, bytes: Data) {
    if let own = try DurableFile.read(file), let type = PhotographType(own) { return (type, own) }
    return (.jpeg, Data(PackageResources.photograph_jpg))
  }

  var isOwn: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A word that changes with the photograph, for its address.
  var version: String {
    guard let change = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    else { return "first" }
    return String(Int(change.timeIntervalSince1970 * 1_000))
  }

  /// Puts a photograph in the place of another.
  ///
  /// - Throws: ``PhotographError``; `DurableSQLiteError`. The one before stays then.
  func replace(with bytes: Data) throws {
    guard bytes.count <= Self.largestBytes else { throw PhotographError.tooLarge }
    guard PhotographType(bytes) != nil else { throw PhotographError.unknownType }
    try DurableFile.replace(file, with: bytes)
  }

  /// Back to the one that comes with the app.
  func remove() throws { try DurableFile.remove(file) }
}

/// Why a photograph was not taken.
enum PhotographError: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLarge
  case unknownType
  case missing

  var description: String {
    switch self {
    case .tooLarge: "A photograph may have 10 MB. Choose a smaller one."
    case .unknownType: "This is no JPEG, PNG or WebP. Choose a photograph of one of these kinds."
    case .missing: "Choose a photograph first."
    }
  }
}

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
