import ArgumentParser
import DurableSQLite
import Foundation
import Logging
import ProgramSupport
import PurchaseLedger
import PurchaseLedgerPostgreSQL
import PurchaseServer

/// The options of all subcommands of `openstorekit server`.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The configuration, a JSON file.", valueName: "file"), completion: .file(extensions: ["json"]))
  var config: String?

  /// Reads the configuration from the file and the environment. If `host` or `port` is present, it replaces the value
  /// in the configuration.
  ///
  /// - Throws: ``CommandFailure`` that lists all mistakes.
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
  /// Returns a logger that writes to standard error.
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

  /// Opens the ledger and the other parts of the server.
  ///
  /// - Parameter advice: what to do if another process has the ledger open, to be added to the error message.
  /// - Throws: ``CommandFailure``.
  func assembled(_ logger: Logger, ifInUse advice: String? = nil) async throws -> ServerAssembly {
    do {
      var configuration = self
      configuration.service.version = ProgramVersion.text
      return try await ServerAssembly(configuration, opener: AnyLedgerOpener(), logger: logger)
    } catch let error as DurableSQLiteError {
      guard case .inUse = error, let advice else { throw CommandFailure.refused("The server did not start. \(error)") }
      throw CommandFailure.refused("\(error)\n\(advice)")
    } catch {
      throw CommandFailure.refused("The server did not start. \(error)")
    }
  }
}

/// Opens ledgers in SQLite files and in PostgreSQL.
private struct AnyLedgerOpener: LedgerOpener {
  func open(_ database: ServerConfiguration.Database, logger: Logger) async throws -> any LedgerDatabase {
    guard let configuration = try database.postgreSQL() else {
      return try await SQLiteLedgerOpener().open(database, logger: logger)
    }
    return try await PostgreSQLLedgerDatabase.open(configuration, logger: logger)
  }
}

extension ServerConfiguration.Database {
  /// Returns the configuration of the connection to PostgreSQL; nil for a ledger in a SQLite file.
  ///
  /// - Throws: `LedgerDatabaseError` if the connection string cannot be read.
  func postgreSQL() throws -> PostgreSQLConfiguration? {
    guard case .postgreSQL(let connection, let connections, let acceptsServerWithoutFsync) = self else { return nil }
    var configuration = try PostgreSQLConfiguration(connectionString: connection)
    configuration.poolSize = connections
    configuration.acceptsServerWithoutFsync = acceptsServerWithoutFsync
    return configuration
  }
}
