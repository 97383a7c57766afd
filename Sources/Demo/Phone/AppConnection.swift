import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SampleApp
import StoreModel
import WebSupport

/// The line to the app's pages: HTTP over the socket in the phone's folder.
///
/// A library speaks it (AsyncHTTPClient, which the purchase server uses as well): nothing of HTTP is written twice.
struct AppConnection: Sendable {
  /// A form with a photograph in it is the largest of what is pressed.
  private static let largestBodyBytes = 11 << 20
  private static let timeoutSeconds: Int64 = 30
  /// Its screen it has at hand; an app that hangs must not keep its owner from ending it.
  private static let fragmentTimeoutSeconds: Int64 = 3

  /// Redirections are for the browser, not for the phone.
  static func client() -> HTTPClient {
    HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
  }

  let client: HTTPClient
  let socket: URL

  /// What the app shows on a screen of the phone.
  func fragment(of screen: AppScreen, file: String?, page: String?) async throws -> AppFragment {
    let query = [("screen", screen.rawValue), ("file", file), ("page", page)].compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    let answer = try await client.execute(
      request("/app/fragment", query: query), timeout: .seconds(Self.fragmentTimeoutSeconds))
    let body = Data(buffer: try await answer.body.collect(upTo: Self.largestBodyBytes))
    guard answer.status == .ok else {
      throw PhoneRefusal.screenRefused(Self.words(in: body))
    }
    return try BoundedJSON.decode(AppFragment.self, from: body, within: .file)
  }

  /// Passes a request on, and the app's answer back.
  func pass(_ incoming: Request) async throws -> Response {
    // Checked, because Foundation ends the process over a path that is not percent-encoded as it should be.
    guard let path = URLComponents(string: incoming.uri.path, encodingInvalidCharacters: false), path.host == nil,
      path.scheme == nil, path.query == nil
    else {
      throw ErrorResponse(.badRequest, "malformedRequest", "The path is not percent-encoded as it should be.")
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
    // A connection of its own: one that is kept may be to an app that was killed since.
    request.headers.add(name: "Connection", value: "close")
    return request
  }

  private static func words(in body: Data) -> String {
    struct Refusal: Decodable {
      struct Words: Decodable { let message: String }
      let error: Words
    }
    return (try? BoundedJSON.decode(Refusal.self, from: body))?.error.message ?? String(decoding: body, as: UTF8.self)
  }
}
