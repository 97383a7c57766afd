import AppStoreEmulator
import ControlAPI
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// `/control/v1/…`: the control API. `/control/openapi.json` describes it.
struct ControlRoutes: Sendable {
  let store: EmulatedAppStore
  let scheme: String

  func add(to router: Router<BasicRequestContext>) {
    let description = MadeOnce<Data>()
    router.get("/control/openapi.json") { _, _ in
      Response.json(try description.value { try ControlEndpoints.openAPI() })
    }

    let control = router.group(RouterPath(ControlEndpoints.basePath))
    AppRoutes(store: store, scheme: scheme).add(to: control)
    KeyRoutes(store: store).add(to: control)
    CustomerRoutes(store: store).add(to: control)
    InstallationRoutes(store: store).add(to: control)
    PurchaseRoutes(store: store).add(to: control)
    RefundRoutes(store: store).add(to: control)
    SubscriptionRoutes(store: store).add(to: control)
    ApprovalRoutes(store: store).add(to: control)
    NotificationRoutes(store: store).add(to: control)
    ClockRoutes(store: store).add(to: control)
    SettingsRoutes(store: store).add(to: control)
    LifecycleRoutes(store: store).add(to: control)
    FaultRoutes(store: store).add(to: control)
    RequestRoutes(store: store).add(to: control)
  }
}
