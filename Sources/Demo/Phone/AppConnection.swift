import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SampleApp
import StoreModel
import WebSupport

/// A client of the app's pages: HTTP over the Unix socket in the phone's folder.
struct AppConnection: Sendable {
  /// The maximum size of a body. The largest is a form with a photograph.
  private static let largestBodyBytes = 11 << 20
  private static let timeoutSeconds: Int64 = 30
  /// The timeout for a screen. It is short, so that the owner can still end an app that hangs.
  private static let fragmentTimeoutSeconds: Int64 = 3

  /// Returns a client that does not follow redirections, because they are for the browser.
  static func client() -> HTTPClient {
    let configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration.checkingStatus())
  }

  let client: HTTPClient
  let socket: URL

  /// Returns the HTML that the app shows on a screen of the phone.
  ///
  /// - Throws: ``PhoneRefusal/screenRefused(_:)`` if the app answers with an error.
  func fragment(of screen: AppScreen, file: String?, page: String?) async throws -> AppFragment {
    let query = [("screen", screen.rawValue), ("file", file), ("page", page)].compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    let answer = try await client.execute(
      request("/app/fragment", query: query), timeout: .seconds(Self.fragmentTimeoutSeconds))
    let body = Data(buffer: try await answer.body.collect(upTo: Self.largestBodyBytes))
    guard answer.status == .ok else {
      throw PhoneRefusal.screenRefused(Self.message(in: body))
    }
    return try BoundedJSON.decode(AppFragment.self, from: body, within: .file)
  }

  /// Forwards a request to the app, and returns the app's response.
  func pass(_ incoming: Request) async throws -> Response {
    // Foundation ends the process if it is given a path with invalid percent-encoding.
    guard let path = URLComponents(string: incoming.uri.path, encodingInvalidCharacters: false), path.host == nil,
      path.scheme == nil, path.query == nil
    else {
      throw ErrorResponse(.badRequest, "malformedRequest", "The path is not correctly percent-encoded.")
    }
    var outgoing = request(path.percentEncodedPath, query: [])
    outgoing.method = .init(rawValue: incoming.method.rawValue)
    if incoming.method == .post {
      outgoing.body = .bytes(try await incoming.body.collect(upTo: Self.largestBodyBytes))
      outgoing.headers.add(name: "Content-Type", value: incoming.headers[.contentType] ?? "")
    }
    let answer = try await client.execute(outgoing, timeout: .seconds(Self.timeoutSeconds))
    var headers = HTTPFields()
    for (name, value) in answer.headers {
      guard let name = HTTPField.Name(name), Self.passedOn.contains(name) else { continue }
      headers[name] = value
    }
    let body = try await answer.body.collect(upTo: Self.largestBodyBytes)
    return Response(
      status: .init(code: Int(answer.status.code)), headers: headers, body: ResponseBody(byteBuffer: body))
  }

  private static let passedOn: Set<HTTPField.Name> = [
    .contentType, .location, .cacheControl, .xContentTypeOptions, .contentSecurityPolicy,
    HTTPField.Name("Cross-Origin-Resource-Policy")!,
  ]

  private func request(_ path: String, query: [URLQueryItem]) -> HTTPClientRequest {
    var components = URLComponents()
    components.percentEncodedPath = path
    if !query.isEmpty { components.queryItems = query }
    let address = components.percentEncodedPath + (components.percentEncodedQuery.map { "?\($0)" } ?? "")
    var request = HTTPClientRequest(
      url: URL(httpURLWithSocketPath: socket.path, uri: address)?.absoluteString ?? "")
    // Each request has its own connection: a reused connection may lead to a process that was killed meanwhile.
    request.headers.add(name: "Connection", value: "close")
    return request
  }

  private static func message(in body: Data) -> String {
    struct Refusal: Decodable {
      struct Details: Decodable { let message: String }
      let error: Details
    }
    return (try? BoundedJSON.decode(Refusal.self, from: body))?.error.message ?? String(decoding: body, as: UTF8.self)
  }
}
