import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// Installations of apps on devices.
struct InstallationRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.installations) { _ in
      try await Response.answering {
        InstallationList(installations: try await store.installations().map(InstallationView.init))
      }
    }
    control.add(ControlEndpoints.signOut) { input in
      try await Response.answering { InstallationView(try await store.endSignIn(on: input.path.installationId)) }
    }
    control.add(ControlEndpoints.beginPromotedPurchase) { input in
      try await Response.answering(status: .created) {
        try await store.beginPromotedPurchase(of: input.body.productId, on: input.body.installationId)
        return input.body
      }
    }
  }
}
