import AppStoreEmulator
import ArgumentParser
import DurableSQLite
import Foundation
import Logging
import ProgramSupport
import StoreModel

/// The options of every command that runs a store.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("config"), help: ArgumentHelp("A .storekit file; may be given several times.", valueName: "file"),
    completion: .file(extensions: ["storekit"]))
  var configurationFiles: [String] = []

  @Option(help: ArgumentHelp("The app the files belong to.", valueName: "id"))
  var bundleID = ProcessInfo.processInfo.environment["OPENSTOREKIT_BUNDLE_ID"] ?? "com.example.app"

  @Option(help: ArgumentHelp("The seed of a new store's identifiers.", valueName: "number"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("The bearer token of the control API.", valueName: "token"))
  var controlToken: String?

  @Option(
    help: ArgumentHelp(
      "Where the notifications of every app are sent, in both environments. Default: as before, or nowhere.",
      valueName: "url"))
  var notificationURL: String?

  func validate() throws {
    if let notificationURL {
      do { _ = try NotificationURLs.url(notificationURL) } catch {
        throw ValidationError("--notification-url: \(error.description)")
      }
    }
    if controlToken?.isEmpty == true { throw ValidationError("--control-token must not be empty.") }
    if bundleID.isEmpty { throw ValidationError("--bundle-id must not be empty.") }
  }

  /// Opens the store with the catalog from the files of `--config`.
  ///
  /// - Parameters:
  ///   - directory: the folder of its records and keys; nil for a store in memory.
  ///   - timeRate: the number of seconds of the store's clock in one second.
  /// - Throws: ``CommandFailure``.
  func open(in directory: URL?, timeRate: Double = 1, logger: Logger) async throws -> EmulatedAppStore {
    do {
      let catalog = try configurationFiles.map { try StoreKitConfiguration(contentsOf: URL(filePath: $0)) }
      for (path, file) in zip(configurationFiles, catalog) {
        for warning in file.warnings { logger.warning("\(path): \(warning)") }
      }
      var configuration = EmulatedAppStore.Configuration(directory: directory, timeRate: timeRate, seed: seed)
      configuration.report = { logger.error("\($0)") }
      let store = try EmulatedAppStore(configuration)
      if !catalog.isEmpty { try await store.serve(BundleID(bundleID), catalog: catalog) }
      if let notificationURL { try await store.setNotificationURL(try NotificationURLs.url(notificationURL)) }
      guard try await !store.apps().isEmpty else {
        throw CommandFailure.unusable("This store sells nothing yet. Give it a catalog: --config FILE.storekit")
      }
      return store
    } catch let error as StoreKitConfigurationError {
      throw CommandFailure.unusable(error.description)
    } catch let error as AppStoreEmulatorError {
      throw CommandFailure.unusable(error.description)
    } catch let error as DurableSQLiteError {
      throw CommandFailure.refused(error.description)
    }
  }
}
