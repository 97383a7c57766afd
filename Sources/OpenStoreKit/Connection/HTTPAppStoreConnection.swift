import Foundation
import StoreModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A store reached over HTTP, such as `openstorekit emulator`.
public final class HTTPAppStoreConnection: AppStoreConnection {
  private let base: URL
  private let session: URLSession

  /// - Parameters:
  ///   - url: the store's address, such as `http://127.0.0.1:8080`.
  ///   - timeoutSeconds: how long an answer is waited for.
  public init(_ url: URL, timeoutSeconds: Double = 60) {
    base = url.appending(path: DeviceDoor.path)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeoutSeconds
    session = URLSession(configuration: configuration)
  }

  deinit { session.finishTasksAndInvalidate() }

  public func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await ask(.register, registration.installationID, registration)
  }

  public func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await ask(.signIn, installation, credentials)
  }

  public func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList {
    try await ask(.products, installation, identifiers)
  }

  public func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await ask(.quote, installation, payment)
  }

  public func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    try await ask(.confirm, installation, quote)
  }

  public func unfinished(for installation: InstallationID) async throws -> DeliveryBatch {
    try await ask(.unfinished, installation, DeviceDoor.Nothing())
  }

  public func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    let _: DeviceDoor.Nothing = try await ask(.finish, installation, transaction)
  }

  private func ask<Content: Codable & Sendable, Answer: Decodable>(
    _ verb: DeviceDoor.Verb, _ installation: InstallationID, _ content: Content
  ) async throws -> Answer {
    var request = URLRequest(url: base.appending(path: verb.rawValue))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try DeviceDoor.encoder().encode(
      DeviceDoor.Request(installationID: installation, content: content))
    let (body, response) = try await send(request)
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      throw StoreConnectionFailure.unintelligible(reason: "\(base) does not speak HTTP")
    }
    do {
      guard status == 200 else {
        throw try JSONDecoder().decode(DeviceDoor.Refused.self, from: body).error
      }
      return try JSONDecoder().decode(Answer.self, from: body)
    } catch let error as DecodingError {
      throw StoreConnectionFailure.unintelligible(reason: "HTTP \(status) from \(base): \(error)")
    }
  }

  private func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await session.data(for: request)
    } catch let error as URLError {
      switch error.code {
      case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
        throw StoreConnectionFailure.unreachable(reason: "\(base): \(error.localizedDescription)")
      default:
        throw StoreConnectionFailure.noAnswer(reason: "\(base): \(error.localizedDescription)")
      }
    }
  }
}
