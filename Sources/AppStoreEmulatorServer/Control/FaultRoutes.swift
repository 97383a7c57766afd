import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// Faults, and the requests that they hold.
struct FaultRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.faults) { _ in
      try await Response.answering { FaultList(faults: store.faults()) }
    }
    control.add(ControlEndpoints.setFault) { input in
      try await Response.answering(status: .created) { try store.set(input.body) }
    }
    control.add(ControlEndpoints.removeFaults) { _ in
      try await Response.answering { RemovedCount(removed: store.removeFaults()) }
    }
    control.add(ControlEndpoints.fault) { input in
      try await Response.answering { try store.fault(input.path.id) }
    }
    control.add(ControlEndpoints.removeFault) { input in
      try await Response.answering {
        let last = try store.fault(input.path.id)
        try store.removeFault(input.path.id)
        return last
      }
    }
    control.add(ControlEndpoints.releaseFault) { input in
      try await Response.answering { ReleasedCount(released: try store.releaseFault(input.path.id)) }
    }
  }
}
