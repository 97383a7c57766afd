import Foundation
import SampleModel

/// A phone with the sample app on it: the app's process may be started, steered, killed and started again.
final class SampleAppPhone {
  private let storeAddress: String
  private let folder: URL
  private var process: ChildProcess?
  private var acknowledged: Set<String> = []

  init(storeAddress: String, folder: URL) {
    self.storeAddress = storeAddress
    self.folder = folder
  }

  /// Starts the app.
  ///
  /// - Parameter hold: where it is to wait for ever.
  func launch(hold: HoldPoint? = nil) throws {
    process = try ChildProcess(
      ["sample-app"] + (hold.map { ["--hold", $0.rawValue] } ?? []),
      environment: [
        "OPENSTOREKIT_URL": storeAddress, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
        "OPENSTOREKIT_DATA": folder.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
        "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": "customer",
      ])
  }

  func tell(_ order: SampleAppOrder) throws { try running().write(try SampleAppLine.write(order)) }

  /// The next thing that happens in the app. What the store acknowledges comes in its own time, and is kept apart.
  func nextEvent() async throws -> SampleAppEvent {
    while true {
      let event = try await read()
      guard case .finishAcknowledged(let transaction) = event else { return event }
      acknowledged.insert(transaction)
    }
  }

  /// Returns when the store has acknowledged that `transaction` is finished.
  func waitUntilFinished(_ transaction: String) async throws {
    while !acknowledged.contains(transaction) {
      let event = try await read()
      guard case .finishAcknowledged(let finished) = event else {
        throw DemoFailure("Waiting for a finish, something else happened: \(event)")
      }
      acknowledged.insert(finished)
    }
  }

  private func read() async throws -> SampleAppEvent {
    guard let line = try await running().nextLine() else { throw DemoFailure("The sample app ended unexpectedly.") }
    return try SampleAppLine.read(SampleAppEvent.self, from: line)
  }

  /// Kills the app's process, as a crash would.
  func kill() async throws {
    try await running().killAndWait()
    process = nil
  }

  func quit() async throws {
    guard try await running().finishInput() == 0 else { throw DemoFailure("The sample app did not end cleanly.") }
    process = nil
  }

  func killNow() { process?.killNow() }

  private func running() throws -> ChildProcess {
    guard let process else { throw DemoFailure("The sample app is not running.") }
    return process
  }
}

/// Something in the demo is not as it must be.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
