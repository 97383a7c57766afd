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

  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID
  ) async throws -> Call.Answer {
    var request = URLRequest(url: base.appending(path: Call.verb.rawValue))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    // A connection of its own for each call. When one that was used before is reset, libcurl silently sends the request
    // again, URLSession on Linux does not give it the body again, and both ends wait for each other for ever.
    request.setValue("close", forHTTPHeaderField: "Connection")
    request.httpBody = try DeviceDoor.encoder().encode(DeviceDoor.Request(installationID: installation, call: call))
    let (body, response) = try await send(request)
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      throw StoreConnectionFailure.unintelligible(reason: "\(base) does not speak HTTP")
    }
    do {
      guard status == 200 else {
        throw try JSONDecoder().decode(DeviceDoor.Refused.self, from: body).error
      }
      return try JSONDecoder().decode(Call.Answer.self, from: body)
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
