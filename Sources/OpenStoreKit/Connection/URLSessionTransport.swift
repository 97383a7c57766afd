import Foundation
import StoreModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP over TLS, which takes more than a socket.
final class URLSessionTransport: HTTPTransport {
  private let session: URLSession

  init(timeoutSeconds: Double) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeoutSeconds
    session = URLSession(configuration: configuration)
  }

  deinit { session.finishTasksAndInvalidate() }

  func post(_ json: Data, to url: URL) async throws -> HTTPReply {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    // A connection of its own for each call. When one that was used before is reset, libcurl silently sends the request
    // again, URLSession on Linux does not give it the body again, and both ends wait for each other for ever.
    request.setValue("close", forHTTPHeaderField: "Connection")
    request.httpBody = json
    do {
      let (body, response) = try await session.data(for: request)
      guard let status = (response as? HTTPURLResponse)?.statusCode else {
        throw StoreConnectionFailure.unintelligible(reason: "\(url) does not speak HTTP")
      }
      return HTTPReply(status: status, body: body)
    } catch let error as URLError {
      switch error.code {
      case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
        throw StoreConnectionFailure.unreachable(reason: "\(url): \(error.localizedDescription)")
      default:
        throw StoreConnectionFailure.noAnswer(reason: "\(url): \(error.localizedDescription)")
      }
    }
  }
}
