import Foundation
import StoreModel

@testable import PurchaseKit

/// A content library on disk, with downloads from a scripted server.
final class LibraryFixture: Sendable {
  static let book = "com.example.reader.book"
  static let atlas = "com.example.reader.atlas"

  let server: ScriptedServer
  let client: PurchaseServerClient
  let folder: TestFolder
  let library: ContentLibrary
  let downloads: ContentDownloads
  let eager = EagerRetry()
  let clock = SleeplessClock()
  let notifications = NotificationCenter()

  init(
    server: ScriptedServer = ScriptedServer(), folder: TestFolder = TestFolder(), disk: ContentDisk = .system,
    retry: (any RetrySchedule)? = nil, atOnce: Int = 2
  ) throws {
    self.server = server
    self.folder = folder
    client = server.client()
    library = try ContentLibrary(at: folder.url, disk: disk)
    downloads = ContentDownloads(
      library: library, server: client, retry: retry ?? eager, atOnce: atOnce, clock: clock,
      notifications: notifications)
  }

  /// Ends the app, and launches it again.
  func relaunched(disk: ContentDisk = .system) throws -> LibraryFixture {
    try library.close()
    return try LibraryFixture(server: server, folder: folder, disk: disk)
  }

  /// Returns a copy of the folder, as it is if the app is killed now.
  func killed() throws -> TestFolder {
    let copy = TestFolder()
    try FileManager.default.copyItem(at: folder.url, to: copy.url)
    return copy
  }

  /// Returns the names in a subfolder of the library's folder.
  func names(_ sub: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: sub).path).sorted()
  }

  func want(_ product: String = book) throws { try downloads.want(server.delivery(product)) }

  /// The `Range` field of each request for a file.
  var ranges: [String?] { server.calls("/downloads/").map { $0.fields["Range"] } }

  deinit { try? library.close() }
}
