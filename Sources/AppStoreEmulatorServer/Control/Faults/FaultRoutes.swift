import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// The store's trouble: faults, and what they hold.
struct FaultRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("faults") { _, _ in
      try await Response.answering { ["faults": store.faults()] }
    }
    control.post("faults") { request, _ in
      let fault = try await request.decoded(Fault.self)
      return try await Response.answering(status: .created) { try store.set(fault) }
    }
    control.delete("faults") { _, _ in
      try await Response.answering { ["removed": store.removeFaults()] }
    }
    control.get("faults/{id}") { _, context in
      let id = FaultID(try context.pathParameter("id"))
      return try await Response.answering { try store.fault(id) }
    }
    control.delete("faults/{id}") { _, context in
      let id = FaultID(try context.pathParameter("id"))
      return try await Response.answering {
        let last = try store.fault(id)
        try store.removeFault(id)
        return last
      }
    }
    control.post("faults/{id}/release") { request, context in
      try await request.expectNoMembers()
      let id = FaultID(try context.pathParameter("id"))
      return try await Response.answering { ["released": try store.releaseFault(id)] }
    }
  }
}
