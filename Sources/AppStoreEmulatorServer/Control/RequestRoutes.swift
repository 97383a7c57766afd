import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of the request journal.
struct RequestRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.requests) { input in
      RequestJournalView(
        requests: store.requests(input.query.filter, limit: input.query.limit ?? 1_000),
        extent: store.requestJournalExtent)
    }
    control.serve(ControlEndpoints.request) { input in
      RequestDetailsView(try store.request(input.path.sequence))
    }
    control.serve(ControlEndpoints.removeRequests) { _ in
      RemovedCount(removed: store.clearRequests())
    }
  }
}
