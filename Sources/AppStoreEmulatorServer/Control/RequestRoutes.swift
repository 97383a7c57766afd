import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// The request journal.
struct RequestRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.requests) { input in
      try await Response.answering {
        RequestJournalView(
          requests: store.requests(input.query.filter, limit: input.query.limit ?? 1_000),
          extent: store.requestJournalExtent)
      }
    }
    control.add(ControlEndpoints.removeRequests) { _ in
      try await Response.answering { RemovedCount(removed: store.clearRequests()) }
    }
  }
}
