import Foundation
import StoreModel

/// A store reached over HTTP, such as `openstorekit emulator`. Every call has a connection of its own.
public final class HTTPAppStoreConnection: AppStoreConnection {
  private let base: URL
  private let transport: any HTTPTransport

  /// - Parameters:
  ///   - url: the store's address, such as `http://127.0.0.1:8080`. With `https`, its certificate must be one that the system
  ///     trusts.
  ///   - timeoutSeconds: how long an answer is waited for.
  public init(_ url: URL, timeoutSeconds: Double = 60) {
    base = url.appending(path: DeviceDoor.path)
    transport =
      url.scheme?.lowercased() == "https"
      ? URLSessionTransport(timeoutSeconds: timeoutSeconds) : SocketTransport(timeoutSeconds: timeoutSeconds)
  }

  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID
  ) async throws -> Call.Answer {
    let message = try DeviceDoor.encoder().encode(DeviceDoor.Request(installationID: installation, call: call))
    let reply = try await transport.post(message, to: base.appending(path: Call.verb.rawValue))
    do {
      guard reply.status == 200 else {
        throw try JSONDecoder().decode(DeviceDoor.Refused.self, from: reply.body).error
      }
      return try JSONDecoder().decode(Call.Answer.self, from: reply.body)
    } catch let error as DecodingError {
      throw StoreConnectionFailure.unintelligible(reason: "HTTP \(reply.status) from \(base): \(error)")
    }
  }
}
