import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// Installations of apps on devices.
struct InstallationRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("installations") { _, _ in
      try await Response.answering { ["installations": try await store.installations().map(InstallationView.init)] }
    }
    control.post("installations/{installationId}/signOut") { request, context in
      try await request.expectNoMembers()
      let id = InstallationID(try context.pathParameter("installationId"))
      return try await Response.answering { InstallationView(try await store.endSignIn(on: id)) }
    }
    control.post("promotedPurchases") { request, _ in
      let purchase = try await request.decoded(PromotedPurchase.self, keys: ["installationId", "productId"])
      return try await Response.answering(status: .created) {
        try await store.beginPromotedPurchase(of: purchase.productId, on: purchase.installationId)
        return purchase
      }
    }
  }
}
