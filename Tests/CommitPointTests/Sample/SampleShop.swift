import Foundation
import SampleApp
import SampleModel

@testable import CommandLineTool
@testable import Demo

/// The emulator, the purchase server and the sample app, as they are shipped, in the environment of a run.
final class SampleShop {
  let environment: RunEnvironment
  private let serverReadsHistory: Bool
  /// The store's address; nil until it is ready. Its port stays the same after a restart.
  private var address: URL?
  private var port = 0
  private var serverAddress: URL?
  private var serverPort = 0
  private var backlog: [AppEvent] = []

  static let catalogName = "SampleApp.storekit"

  /// - Parameter serverReadsHistory: whether the purchase server reads the store's notification history when it starts.
  init(_ environment: RunEnvironment, serverReadsHistory: Bool = true) {
    (self.environment, self.serverReadsHistory) = (environment, serverReadsHistory)
  }

  /// The folder of the app's files.
  var appFolder: URL { environment.disk(of: .app).appending(path: "data") }

  func startStore() throws {
    address = nil
    try environment.launch(
      .store, "openstorekit",
      [
        "emulator", "--end-with-input", "--config", environment.folder.appending(path: Self.catalogName).path,
        "--bundle-id", SampleCatalog.bundleIdentifier, "--host", environment.loopbackAddress, "--port", "\(port)",
        "--data", environment.disk(of: .store).appending(path: "data").path,
      ], variables: ["LOG_LEVEL": "warning"])
  }

  /// Starts the developer's purchase server once the store is ready.
  func startServer() async throws {
    serverAddress = nil
    let configuration = try await serverConfiguration()
    try environment.launch(
      .server, "openstorekit",
      [
        "server", "run", "--end-with-input", "--config", configuration.path, "--host", environment.loopbackAddress,
        "--port",
        "\(serverPort)",
      ])
  }

  /// Returns the configuration file of the purchase server, once the store is ready.
  func serverConfiguration() async throws -> URL {
    try DeveloperServer.configuration(
      environment, storeAddress: try await storeAddress(), readsHistory: serverReadsHistory)
  }

  /// Returns the address of the purchase server, once it is ready.
  func purchaseServer() async throws -> URL {
    while true {
      if let serverAddress { return serverAddress }
      if let event = try await receive() { backlog.append(event) }
    }
  }

  /// Starts the app once the store is ready.
  func startApp(_ arguments: [String] = []) async throws {
    let address = try await storeAddress()
    backlog = []
    // One second is the shortest timeout of URLSession. It is needed because URLSession on Linux repeats a request without
    // its body if a kept connection breaks, and then both sides wait until the timeout.
    try environment.launch(
      .app, "openstorekit", ["sample-app", "--retry-milliseconds", "5", "--answer-seconds", "1"] + arguments,
      variables: [
        "OPENSTOREKIT_URL": address.absoluteString, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
        "OPENSTOREKIT_DATA": appFolder.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
        "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": "customer",
      ])
  }

  /// Returns the address of the store, once it is ready.
  func storeAddress() async throws -> URL {
    while true {
      if let address { return address }
      if let event = try await receive() { backlog.append(event) }
    }
  }

  func send(_ command: AppCommand) throws { environment.send(try AppMessages.write(command), to: .app) }

  /// Returns the next event of the app.
  func nextEvent() async throws -> AppEvent {
    if !backlog.isEmpty { return backlog.removeFirst() }
    while true {
      if let event = try await receive() { return event }
    }
  }

  /// Returns the next event; nil if the line came from the store or the server.
  private func receive() async throws -> AppEvent? {
    let (role, line) = try await environment.nextLine()
    if role == .app { return try AppMessages.read(AppEvent.self, from: line) }
    if line.hasPrefix("ready "), let url = URL(string: String(line.dropFirst(6))) {
      if role == .server {
        (serverAddress, serverPort) = (url, url.port ?? 0)
      } else {
        (address, port) = (url, url.port ?? 0)
      }
    }
    return nil
  }
}

extension SampleShop {
  /// Writes the catalog into the folder that is being prepared.
  static func writeCatalog(in folder: URL) throws {
    try Data(PackageResources.SampleApp_storekit).write(to: folder.appending(path: catalogName))
  }

  /// Runs `body` in a folder inside `folder`, and keeps only the disks of store and server afterwards.
  ///
  /// - Parameter part: the name of the store's file or folder that is kept; nil for all.
  static func prepareDisks(
    in folder: URL, keeping part: String? = nil, _ body: (RunEnvironment) async throws -> Void
  ) async throws {
    let temporary = folder.appending(path: "temporary")
    let environment = try RunEnvironment(folder: temporary, powerCuts: [:])
    try writeCatalog(in: temporary)
    try await body(environment)
    for role in [ProcessRole.store, .server] {
      let data = folder.appending(path: "\(role)/data")
      let left = temporary.appending(path: "\(role)/data")
      guard FileManager.default.fileExists(atPath: left.path) else { continue }
      try FileManager.default.createDirectory(
        at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let kept = role == .store ? part.map { [$0] } : nil
      for name in try kept ?? FileManager.default.contentsOfDirectory(atPath: left.path) {
        try FileManager.default.moveItem(at: left.appending(path: name), to: data.appending(path: name))
      }
    }
    try FileManager.default.removeItem(at: temporary)
  }
}
