import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of reset, snapshot and restore.
struct LifecycleRoutes: Sendable {
  let store: EmulatedAppStore

  /// The maximum size of a snapshot, in bytes. It is enough for a store with about 100,000 purchases.
  static let largestSnapshot = 192 << 20
  /// The maximum size of the body of a restore, in bytes. It contains the snapshot in base64.
  private static let largestBody = 256 << 20

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.reset) { _ in
      EpochView(try await store.reset())
    }
    control.serve(ControlEndpoints.snapshot) { _ in
      SnapshotView(try await store.snapshot())
    }
    // A separate budget, because a large snapshot would use up the memory that all other requests share. All restores
    // together may hold as many bytes as one snapshot of the maximum size.
    let budget = BodyBudgetMiddleware<BasicRequestContext>(BodyBudget(limitBytes: Self.largestBody))
    control.group().add(middleware: budget).serve(ControlEndpoints.restore, bodyLimit: Self.largestBody) { input in
      EpochView(try await store.restore(input.body.snapshot))
    }
  }
}
