import DurableSQLite
import Foundation
import SampleModel

/// The folder that the demo's store lives in: its catalog and its books.
struct StoreFiles: Sendable {
  let folder: URL

  private var catalog: URL { folder.appending(path: "SampleApp.storekit") }
  private var books: URL { folder.appending(path: "books") }

  /// Makes the folder, closed to others, and writes the catalog.
  func prepare() throws {
    try DurableFolder.make(folder)
    try Data(PackageResources.SampleApp_storekit).write(to: catalog)
  }

  /// How the emulator is started.
  ///
  /// - Parameters:
  ///   - port: 0 for any.
  ///   - seed: what every identifier of a new store follows from; nil for chance.
  ///   - origins: of the page that shows the console in a frame.
  func arguments(port: Int, seed: UInt64?, framedBy origins: [String] = []) -> [String] {
    [
      "emulator", "--end-with-input", "--config", catalog.path, "--bundle-id", SampleCatalog.bundleIdentifier,
      "--port", String(port), "--data", books.path,
    ] + (seed.map { ["--seed", String($0)] } ?? []) + origins.flatMap { ["--framed-by", $0] }
  }
}
