import AppStoreEmulator
import WebSupport

/// Rings for the open pages whenever something happens in the store.
final class StoreSignal: Sendable {
  let bell: PageSignal
  private let listening: Task<Void, Never>

  init(store: EmulatedAppStore) {
    let (bell, happenings) = (PageSignal(), store.activity())
    self.bell = bell
    // It ends with the store, if not before.
    listening = Task { for await _ in happenings { bell.ring() } }
  }

  deinit { listening.cancel() }
}
