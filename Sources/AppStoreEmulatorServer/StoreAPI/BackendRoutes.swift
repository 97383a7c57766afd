import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// The routes of the APIs for backends. ``BackendAPI`` has the endpoints.
struct BackendRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to router: Router<EmulatorRequestContext>) {
    for endpoint in BackendAPI.endpoints { add(endpoint, to: router) }
  }

  func add<Endpoint: BackendEndpoint>(_ endpoint: Endpoint.Type, to router: Router<EmulatorRequestContext>) {
    let pattern = PathPattern(endpoint.path)
    for environment in [StoreEnvironment.production, .sandbox] {
      let path = RouterPath("/\(environment.lowercaseName)/\(pattern.path)")
      let methods = endpoint.hasAllMethods ? BackendMethod.allCases : [endpoint.method]
      for method in methods {
        router.on(path, method: method.request) { request, context in
          let message = BackendRequest(
            environment: environment, parameters: pattern.values(of: context.parameters),
            query: request.uri.queryParameters.map { (name: String($0), value: String($1)) },
            authorization: request.headers[.authorization],
            body: Data(buffer: try await request.collectedBody(upTo: endpoint.longestBody)))
          return try await answer(endpoint, to: message, context)
        }
      }
      guard let response = Endpoint.responseToOtherMethods else { continue }
      let others: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
      for method in others where method != endpoint.method.request {
        router.on(path, method: method) { _, _ in Response(response) }
      }
    }
  }

  private func answer<Endpoint: BackendEndpoint>(
    _ endpoint: Endpoint.Type, to message: BackendRequest, _ context: EmulatorRequestContext
  ) async throws -> Response {
    try await context.response {
      try await store.answer(Endpoint(message), for: context.caller)
    } sending: { result in
      do {
        let answer = try result.get()
        log(Endpoint.reason(of: answer), of: Endpoint.name, context)
        return Response(try Endpoint.response(to: answer))
      } catch let error as any BackendError {
        log(error.reasonForDeveloper, of: Endpoint.name, context)
        return Response(error.response)
      }
    }
  }

  /// Logs why a request is refused; nothing if it is not, or the answer says it.
  private func log(_ reason: String?, of endpoint: String, _ context: EmulatorRequestContext) {
    guard let reason else { return }
    context.logger.info("Refused", metadata: ["endpoint": "\(endpoint)", "reason": "\(reason)"])
  }
}

/// The path of an endpoint as the router takes it.
///
/// The router allows one name for a parameter at one place, but endpoints have different ones, such as `transactionId` and
/// `originalTransactionId`. So parameters are named by their numbers.
private struct PathPattern {
  let path: String
  private let names: [String]

  init(_ path: String) {
    var names: [String] = []
    self.path = path.split(separator: "/").map { part in
      guard part.hasPrefix("{"), part.hasSuffix("}") else { return String(part) }
      names.append(String(part.dropFirst().dropLast()))
      return "{value\(names.count)}"
    }.joined(separator: "/")
    self.names = names
  }

  /// The values in a path, decoded, by the names of the endpoint.
  func values(of parameters: Parameters) -> [String: String] {
    var values: [String: String] = [:]
    for (index, name) in names.enumerated() {
      guard let value = parameters.get("value\(index + 1)") else { continue }
      values[name] = value.removingPercentEncoding ?? value
    }
    return values
  }
}

extension BackendMethod {
  fileprivate var request: HTTPRequest.Method {
    switch self {
    case .get: .get
    case .post: .post
    case .put: .put
    case .delete: .delete
    }
  }
}

extension Response {
  init(_ response: BackendResponse) {
    let status = HTTPResponse.Status(code: response.status)
    self.init(status: status)
    if let body = response.body {
      self = .json(body, status: status)
    } else {
      body = ResponseBody(byteBuffer: ByteBuffer(string: "\(status.code) \(status.reasonPhrase)\n"))
    }
    headers[.contentType] = response.contentType
    for (name, value) in response.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
  }
}
