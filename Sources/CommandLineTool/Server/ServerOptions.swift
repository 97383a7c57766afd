import ArgumentParser
import Foundation
import Logging
import PurchaseServer

/// What all of `openstorekit server` takes.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The configuration, a JSON file.", valueName: "file"), completion: .file(extensions: ["json"]))
  var config: String?

  /// - Throws: ``CommandFailure``, with every mistake.
  func configuration(host: String? = nil, port: Int? = nil) throws -> ServerConfiguration {
    var file: Data?
    let here = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    var folder = here
    var path: URL?
    if let config {
      let url = config.hasPrefix("/") ? URL(filePath: config) : here.appending(path: config)
      do {
        file = try Data(contentsOf: url)
      } catch {
        throw CommandFailure.unusable("\(config) cannot be read: \(error.localizedDescription)")
      }
      folder = url.deletingLastPathComponent()
      path = url
    }
    do {
      return try ServerConfiguration(
        file: file, at: path, folder: folder, environment: ProcessInfo.processInfo.environment, host: host, port: port)
    } catch {
      throw CommandFailure.unusable(error.description)
    }
  }
}

extension ServerConfiguration {
  /// The server's log, on standard error.
  func logger() -> Logger {
    var logger = Logger(label: "purchase-server") { label in
      switch logFormat {
      case .text: StreamLogHandler.standardError(label: label)
      case .json: JSONLogHandler()
      }
    }
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
    return logger
  }

  /// Opens the ledger and everything else.
  ///
  /// - Throws: ``CommandFailure``.
  func assembled(_ logger: Logger) async throws -> ServerAssembly {
    do {
      return try await ServerAssembly(self, logger: logger)
    } catch {
      throw CommandFailure.refused("The server did not start. \(error)")
    }
  }
}
