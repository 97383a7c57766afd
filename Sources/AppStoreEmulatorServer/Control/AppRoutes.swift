import AppStoreEmulator
import ControlAPI
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The routes of apps, and of the connection document.
struct AppRoutes: Sendable {
  let store: EmulatedAppStore
  let scheme: String

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let (store, scheme) = (store, scheme)
    control.serve(ControlEndpoints.connection) { input in
      let app = try await Self.app(input.query.bundleId, in: store)
      let address = "\(scheme)://\(input.authority ?? "localhost")"
      return try ConnectionView(app: app, authority: store.authority, address: address)
    }
    control.serve(ControlEndpoints.apps) { input in
      AppList(try await store.appPage(after: input.query.after?.key, limit: input.query.count))
    }
    // This route reads the body itself, because the body contains `.storekit` files, which have their own parser.
    let serveApp = ControlEndpoints.serveApp
    control.on(RouterPath(serveApp.path), method: serveApp.method.http) { request, context in
      let bundleID = BundleID(try context.pathParameter("bundleId"))
      let body = try await request.collectedBody(upTo: CatalogFiles.largestBody)
      return try await serveApp.response {
        let files = try CatalogFiles(Data(buffer: body))
        let app = try await store.serve(bundleID, catalog: files.configurations)
        return ServedApp(
          app: AppView(app, catalog: try await store.catalog(of: bundleID)), warnings: files.warnings)
      }
    }
    control.serve(ControlEndpoints.changeProduct) { input in
      ProductView(
        try await store.changeProduct(input.path.productId, of: input.path.bundleId, input.body.change))
    }
  }

  /// Returns the app with a bundle id. If the id is nil, returns the only app.
  private static func app(_ bundleID: BundleID?, in store: EmulatedAppStore) async throws -> StoreApp {
    if let bundleID { return try await store.app(bundleID) }
    let apps = try await store.apps(limit: 11)
    guard let app = apps.first, apps.count == 1 else {
      throw ErrorResponse(
        .badRequest, "bundleIdRequired",
        "This store serves several apps. Add ?bundleId= with one of \(AppStoreEmulatorError.names(of: apps.map(\.bundleID)))."
      )
    }
    return app
  }
}
