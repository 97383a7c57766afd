import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of keys for tokens of the App Store Server API.
struct KeyRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.keys) { _ in KeyList(try await store.apiKeys()) }
    control.serve(ControlEndpoints.addKey) { input in
      let (key, privateKey) = try await store.addAPIKey(for: input.body.bundleId)
      return AddedKeyView(key, privateKey: privateKey)
    }
    control.serve(ControlEndpoints.removeKey) { input in KeyView(try await store.removeAPIKey(input.path.keyId)) }
  }
}
