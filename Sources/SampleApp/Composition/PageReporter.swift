import StoreModel

/// Reports that the content of the app's pages may have changed, and which prompt is shown over them.
final class PageReporter: Sendable {
  private struct State: Sendable {
    var shown: (@MainActor @Sendable () -> AppPrompt?)?
    var reported: AppPrompt?
  }

  private let send: EventSender
  private let state = LockedValue(State())

  init(send: EventSender) { self.send = send }

  /// Reports the prompt after each change from now on.
  ///
  /// - Parameter shown: returns the prompt that is shown now; nil for no prompt.
  func watchPrompts(_ shown: @escaping @MainActor @Sendable () -> AppPrompt?) { state.withLock { $0.shown = shown } }

  /// Reports a change. A new or closed prompt is reported later, on the main queue, which the screens' models use.
  func callAsFunction() {
    send(.pageChanged)
    guard let shown = state.withLock({ $0.shown }) else { return }
    Task { @MainActor in
      let prompt = shown()
      let isNew = state.withLock { state in
        defer { state.reported = prompt }
        return state.reported != prompt
      }
      if isNew { send(.prompt(prompt)) }
    }
  }
}
