import HTTPTypes
import Hummingbird

/// The method and path of a route in a router.
package struct ServedRoute: Hashable, Sendable {
  package let method: HTTPRequest.Method
  /// The path, with parameters in braces.
  package let path: String

  package init(method: HTTPRequest.Method, path: String) {
    self.method = method
    self.path = path
  }
}

extension Router {
  /// All routes of the router.
  package var servedRoutes: [ServedRoute] { routes.map { ServedRoute(method: $0.method, path: $0.path.description) } }
}
