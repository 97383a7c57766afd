import Foundation
import SampleApp
import SampleModel

@testable import CommandLineTool
@testable import Demo

/// Emulator and sample app, as they are shipped, on a stage.
final class SampleShop {
  let stage: Stage
  /// The store's address once it is ready, and its port for good.
  private var address: URL?
  private var port = 0
  private var serverAddress: URL?
  private var serverPort = 0
  private var backlog: [SampleAppEvent] = []

  static let catalogName = "SampleApp.storekit"

  init(_ stage: Stage) { self.stage = stage }

  /// The folder the app's files are in.
  var appFolder: URL { stage.disk(of: .app).appending(path: "data") }

  func startStore() throws {
    address = nil
    try stage.launch(
      .store, "openstorekit",
      [
        "emulator", "--end-with-input", "--config", stage.folder.appending(path: Self.catalogName).path,
        "--bundle-id", SampleCatalog.bundleIdentifier, "--host", stage.loopbackAddress, "--port", "\(port)",
        "--data", stage.disk(of: .store).appending(path: "data").path,
      ], variables: ["LOG_LEVEL": "warning"])
  }

  /// Starts the developer's purchase server once the store is ready.
  func startServer() async throws {
    serverAddress = nil
    let configuration = try await serverConfiguration()
    try stage.launch(
      .server, "openstorekit",
      [
        "server", "run", "--end-with-input", "--config", configuration.path, "--host", stage.loopbackAddress, "--port",
        "\(serverPort)",
      ])
  }

  /// The file that says how the purchase server is to run, once the store is ready.
  func serverConfiguration() async throws -> URL {
    try DeveloperServer.configuration(stage, storeAddress: try await storeAddress())
  }

  /// Where the purchase server is, once it is ready.
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
    // A second is the least URLSession can be told. It is needed: where a kept connection breaks off, URLSession on Linux
    // sends the call again without its body, and both sides wait until this time is over.
    try stage.launch(
      .app, "openstorekit", ["sample-app", "--retry-milliseconds", "5", "--answer-seconds", "1"] + arguments,
      variables: [
        "OPENSTOREKIT_URL": address.absoluteString, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
        "OPENSTOREKIT_DATA": appFolder.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
        "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": "customer",
      ])
  }

  private func storeAddress() async throws -> URL {
    while true {
      if let address { return address }
      if let event = try await receive() { backlog.append(event) }
    }
  }

  func tell(_ order: SampleAppOrder) throws { stage.tell(.app, try SampleAppMessages.write(order)) }

  /// The next thing that happens in the app.
  func nextEvent() async throws -> SampleAppEvent {
    if !backlog.isEmpty { return backlog.removeFirst() }
    while true {
      if let event = try await receive() { return event }
    }
  }

  /// Nil where it was the store or the server that said something.
  private func receive() async throws -> SampleAppEvent? {
    let (party, line) = try await stage.nextLine()
    if party == .app { return try SampleAppMessages.read(SampleAppEvent.self, from: line) }
    if line.hasPrefix("ready "), let url = URL(string: String(line.dropFirst(6))) {
      if party == .server {
        (serverAddress, serverPort) = (url, url.port ?? 0)
      } else {
        (address, port) = (url, url.port ?? 0)
      }
    }
    return nil
  }
}

extension SampleShop {
  /// Writes the catalog into what is being prepared.
  static func writeCatalog(in folder: URL) throws {
    try Data(PackageResources.SampleApp_storekit).write(to: folder.appending(path: catalogName))
  }

  /// Plays something once in a folder inside, only for what is then on the disks of store and server.
  ///
  /// - Parameter part: what of the store's data is kept; nil for all of it.
  static func rehearse(
    in folder: URL, keeping part: String? = nil, _ play: (Stage) async throws -> Void
  ) async throws {
    let rehearsal = folder.appending(path: "rehearsal")
    let stage = try Stage(folder: rehearsal, orders: [:])
    try writeCatalog(in: rehearsal)
    try await play(stage)
    for party in [Party.store, .server] {
      let data = folder.appending(path: "\(party)/data")
      let left = rehearsal.appending(path: "\(party)/data")
      guard FileManager.default.fileExists(atPath: left.path) else { continue }
      try FileManager.default.createDirectory(
        at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let kept = party == .store ? part.map { [$0] } : nil
      for name in try kept ?? FileManager.default.contentsOfDirectory(atPath: left.path) {
        try FileManager.default.moveItem(at: left.appending(path: name), to: data.appending(path: name))
      }
    }
    try FileManager.default.removeItem(at: rehearsal)
  }
}
