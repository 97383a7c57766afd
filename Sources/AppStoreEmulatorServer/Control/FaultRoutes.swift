import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of faults, and of the requests that they hold.
struct FaultRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.faults) { _ in
      FaultList(faults: try await store.faultsWithWarnings())
    }
    control.serve(ControlEndpoints.setFault) { input in
      var report = try store.set(input.body)
      let warnings = try await store.warnings(about: report.fault.scope)
      report.warnings = warnings.isEmpty ? nil : warnings
      return report
    }
    control.serve(ControlEndpoints.removeFaults) { _ in
      RemovedCount(removed: store.removeFaults())
    }
    control.serve(ControlEndpoints.fault) { input in
      try store.fault(input.path.id)
    }
    control.serve(ControlEndpoints.removeFault) { input in
      let last = try store.fault(input.path.id)
      try store.removeFault(input.path.id)
      return last
    }
    control.serve(ControlEndpoints.releaseFault) { input in
      ReleasedCount(released: try store.releaseFault(input.path.id))
    }
  }
}
