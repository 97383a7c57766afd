import AppStoreEmulator
import WebSupport

/// Signals the open pages when something changes in the store.
final class StoreSignal: Sendable {
  let signal: PageSignal
  private let listening: Task<Void, Never>

  init(store: EmulatedAppStore) {
    let (signal, changes) = (PageSignal(), store.activity())
    self.signal = signal
    // The sequence ends when the store is closed.
    listening = Task { for await _ in changes { signal.notify() } }
  }

  deinit { listening.cancel() }
}
