import Foundation
import HTTPTransport
import StoreModel

/// Connects to a store over HTTP, such as `openstorekit emulator`. Each call uses its own connection.
public final class HTTPAppStoreConnection: AppStoreConnection {
  private let base: URL
  private let transport: any HTTPSender

  /// - Parameters:
  ///   - url: the store's address, such as `http://127.0.0.1:8080`. With `https`, the system must trust the store's
  ///     certificate.
  ///   - timeoutSeconds: the maximum time to wait for the connection, and then for each part of the answer.
  public convenience init(_ url: URL, timeoutSeconds: Double = 60) {
    self.init(url, transport: SystemTransport(timeoutSeconds: timeoutSeconds))
  }

  /// - Parameters:
  ///   - url: the store's address, such as `http://127.0.0.1:8080`.
  ///   - transport: sends the requests.
  public init(_ url: URL, transport: any HTTPSender) {
    base = url.appending(path: DeviceAPI.path)
    self.transport = transport
  }

  /// The maximum size of an answer. A catalog, or a page of transactions, has a few megabytes at most.
  private static let longestAnswerBytes = 128 << 20

  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID
  ) async throws -> Call.Answer {
    let message = try DeviceAPI.encoder().encode(DeviceAPI.Request(installationID: installation, call: call))
    let reply = try await post(message, to: base.appending(path: Call.verb.rawValue))
    do {
      guard reply.status == 200 else {
        throw try BoundedJSON.decode(DeviceAPI.Refused.self, from: reply.body).error
      }
      return try BoundedJSON.decode(Call.Answer.self, from: reply.body, within: .file)
    } catch let error as DecodingError {
      throw StoreConnectionFailure.unintelligible(reason: "HTTP \(reply.status) from \(base): \(error)")
    }
  }

  private func post(_ message: Data, to url: URL) async throws -> HTTPReply {
    do {
      return try await transport.reply(
        to: HTTPCall("POST", url, fields: ["Content-Type": "application/json"], body: message),
        longestBodyBytes: Self.longestAnswerBytes)
    } catch HTTPFailure.unreachable(let reason) {
      throw StoreConnectionFailure.unreachable(reason: reason)
    } catch HTTPFailure.noAnswer(let reason) {
      throw StoreConnectionFailure.noAnswer(reason: reason)
    } catch HTTPFailure.unintelligible(let reason) {
      throw StoreConnectionFailure.unintelligible(reason: reason)
    }
  }
}
