import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

struct InstallationRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.installations) { input in
      InstallationList(try await store.installationPage(after: input.query.after?.key, limit: input.query.count))
    }
    control.serve(ControlEndpoints.changeInstallation) { input in
      let body = input.body
      let changed = try await store.changeSettings(of: input.path.installationId) { settings in
        if let restricted = body.restricted { settings.isRestricted = restricted }
        if let offline = body.offline { settings.isOffline = offline }
      }
      return InstallationView(changed)
    }
    control.serve(ControlEndpoints.signOut) { input in
      InstallationView(try await store.endSignIn(on: input.path.installationId))
    }
    control.serve(ControlEndpoints.beginPromotedPurchase) { input in
      try await store.beginPromotedPurchase(
        of: input.body.productId, offer: input.body.offer, on: input.body.installationId)
      return input.body
    }
  }
}
