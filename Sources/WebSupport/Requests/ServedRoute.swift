import HTTPTypes
import Hummingbird

/// One endpoint, as a router has it.
package struct ServedRoute: Hashable, Sendable {
  package let method: HTTPRequest.Method
  /// With its parameters in braces.
  package let path: String

  package init(method: HTTPRequest.Method, path: String) {
    self.method = method
    self.path = path
  }
}

extension Router {
  /// Everything that the router leads to.
  package var servedRoutes: [ServedRoute] { routes.map { ServedRoute(method: $0.method, path: $0.path.description) } }
}
