import AppStoreEmulator
import WebSupport

/// Signals the open pages when something changes in the store.
final class StoreSignal: Sendable {
  let bell: PageSignal
  private let listening: Task<Void, Never>

  init(store: EmulatedAppStore) {
    let (bell, happenings) = (PageSignal(), store.activity())
    self.bell = bell
    // The sequence ends when the store is closed.
    listening = Task { for await _ in happenings { bell.ring() } }
  }

  deinit { listening.cancel() }
}
