import AppStoreEmulator
import Foundation
import HTTPDoors
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
    addCatalogs(to: control)
  }

  private func addCatalogs(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.put("apps/{bundleId}") { request, context in
      let bundleID = BundleID(try context.pathParameter("bundleId"))
      let body = try await request.collectedBody(upTo: AppCatalog.largestBody)
      return try await Response.answering {
        let files = try AppCatalog(Data(buffer: body)).configurations
        let app = try await store.serve(bundleID, catalog: files)
        return ServedApp(
          app: AppView(app, catalog: try await store.catalog(of: bundleID)), warnings: files.flatMap(\.warnings))
      }
    }
    control.patch("apps/{bundleId}/products/{productId}") { request, context in
      let bundleID = BundleID(try context.pathParameter("bundleId"))
      let productID = ProductID(try context.pathParameter("productId"))
      let change = try await request.decoded(
        ProductChangeOrder.self, keys: ["price", "prices", "isOnSale"]
      ).change
      return try await Response.answering {
        ProductView(try await store.changeProduct(productID, of: bundleID, change))
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
