import DurableSQLite
import Foundation
import SampleModel

/// The folder of the demo's store: its catalog and its database.
struct StoreFiles: Sendable {
  let folder: URL

  private var catalog: URL { folder.appending(path: "SampleApp.storekit") }
  private var books: URL { folder.appending(path: "books") }

  /// Makes the folder, which only this user can read, and writes the catalog.
  func prepare() throws {
    try DurableFolder.make(folder)
    try Data(PackageResources.SampleApp_storekit).write(to: catalog)
  }

  /// Returns the arguments of the emulator's process.
  ///
  /// - Parameters:
  ///   - port: the port; 0 for a free one.
  ///   - seed: the seed of a new store's identifiers; nil for a random one.
  ///   - origins: the origins of pages that may show the console in a frame.
  func arguments(port: Int, seed: UInt64?, framedBy origins: [String] = []) -> [String] {
    [
      "emulator", "--end-with-input", "--config", catalog.path, "--bundle-id", SampleCatalog.bundleIdentifier,
      "--port", String(port), "--data", books.path,
    ] + (seed.map { ["--seed", String($0)] } ?? []) + origins.flatMap { ["--framed-by", $0] }
  }
}
