import AppStoreEmulator
import WebPages

/// Rings for the open pages whenever something happens in the store.
final class StoreNews: Sendable {
  let bell: PageBell
  private let listening: Task<Void, Never>

  init(store: EmulatedAppStore) {
    let (bell, happenings) = (PageBell(), store.activity())
    self.bell = bell
    // It ends with the store, if not before.
    listening = Task { for await _ in happenings { bell.ring() } }
  }

  deinit { listening.cancel() }
}
