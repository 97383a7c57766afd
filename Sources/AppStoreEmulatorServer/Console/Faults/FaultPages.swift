import AppStoreEmulator
import Hummingbird

/// The route of `/console/faults`.
struct FaultPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/faults") { request, _ in
      let store = console.store
      let page = FaultPage(
        faults: store.faults(),
        presets: try FaultPreset.all.map { ($0, try ControlField.constants(of: $0.fault)) },
        apps: try await store.apps(limit: Choices.mostApps),
        names: try await KnownNames(.customers, .products, .installations, in: store),
        command: console.command(for: request))
      return console.page("Faults", in: .faults, page.html)
    }
  }
}
