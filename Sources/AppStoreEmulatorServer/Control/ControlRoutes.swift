import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// `/control/v1/…`: what a test, a script or the console steers the store with. Described by `/control/openapi.json`.
struct ControlRoutes: Sendable {
  let store: EmulatedAppStore
  let scheme: String

  func add(to router: Router<BasicRequestContext>) {
    router.get("/control/openapi.json") { _, _ in Response.json(Data(ControlDescription.json.utf8)) }

    let control = router.group("/control/v1")
    AppRoutes(store: store, scheme: scheme).add(to: control)
    CustomerRoutes(store: store).add(to: control)
    InstallationRoutes(store: store).add(to: control)
    PurchaseRoutes(store: store).add(to: control)
    RefundRoutes(store: store).add(to: control)
    ApprovalRoutes(store: store).add(to: control)
    ClockRoutes(store: store).add(to: control)
    LifecycleRoutes(store: store).add(to: control)
    FaultRoutes(store: store).add(to: control)
    RequestRoutes(store: store).add(to: control)
  }
}
