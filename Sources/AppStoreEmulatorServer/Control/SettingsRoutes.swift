import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of the store's settings.
struct SettingsRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.settings) { _ in
      SettingsView(try await store.settings())
    }
    control.serve(ControlEndpoints.changeSettings) { input in
      let body = input.body
      let changed = try await store.changeSettings { settings in
        if let locale = body.locale { settings.locale = locale }
        if let documented21003 = body.documented21003 { settings.documented21003 = documented21003 }
        if let rateLimits = body.rateLimits { settings.rateLimits = rateLimits }
        if let lenientBase64 = body.lenientBase64 { settings.lenientBase64 = lenientBase64 }
      }
      return SettingsView(changed)
    }
  }
}
