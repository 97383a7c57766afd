import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel

/// The apps on sale, and how a client reaches the store.
struct AppRoutes: Sendable {
  let store: EmulatedAppStore
  let scheme: String

  func add(to control: RouterGroup<BasicRequestContext>) {
    let (store, scheme) = (store, scheme)
    control.get("connection") { request, _ in
      try await Response.answering {
        let app = try await Self.app(named: request.uri.queryParameters["bundleId"].map(String.init), in: store)
        let address = "\(scheme)://\(request.head.authority ?? "localhost")"
        return try ConnectionView(app: app, authority: store.authority, address: address)
      }
    }
    control.get("apps") { _, _ in
      try await Response.answering {
        var views: [AppView] = []
        for app in try await store.apps() {
          views.append(AppView(app, catalog: try await store.catalog(of: app.bundleID)))
        }
        return ["apps": views]
      }
    }
  }

  /// The app of that bundle id, or the only one there is.
  private static func app(named name: String?, in store: EmulatedAppStore) async throws -> StoreApp {
    if let name { return try await store.app(BundleID(name)) }
    let apps = try await store.apps()
    guard let app = apps.first, apps.count == 1 else {
      throw DoorRefusal(
        .badRequest, "bundleIdRequired",
        "This store serves several apps. Add ?bundleId= with one of \(apps.map(\.bundleID.rawValue).joined(separator: ", "))."
      )
    }
    return app
  }
}
