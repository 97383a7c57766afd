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
    for environment in [StoreEnvironment.production, .sandbox] {
      let path = RouterPath("/\(environment.lowercaseName)/\(Endpoint.path)")
      router.on(path, method: endpoint.method.request) { [store] request, context in
        let message = BackendRequest(
          environment: environment,
          parameters: Dictionary(
            context.parameters.map { (String($0), $1.removingPercentEncoding ?? String($1)) },
            uniquingKeysWith: { first, _ in first }),
          query: request.uri.queryParameters.map { (name: String($0), value: String($1)) },
          authorization: request.headers[.authorization],
          body: Data(buffer: try await request.collectedBody(upTo: Endpoint.longestBody)))
        return try await context.response {
          try await store.answer(Endpoint(message), for: context.caller)
        } sending: { result in
          do {
            return Response(try Endpoint.response(to: try result.get()))
          } catch let error as any BackendError {
            return Response(error.response)
          }
        }
      }
      guard let response = Endpoint.responseToOtherMethods else { continue }
      let others: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
      for method in others where method != endpoint.method.request {
        router.on(path, method: method) { _, _ in Response(response) }
      }
    }
  }
}

extension BackendMethod {
  fileprivate var request: HTTPRequest.Method {
    switch self {
    case .get: .get
    case .post: .post
    case .put: .put
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
