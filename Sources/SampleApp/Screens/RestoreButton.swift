import WebSupport

/// The button that restores purchases.
struct RestoreButton: Hashable, Sendable {
  let screen: AppScreen
  let canRestore: Bool

  var html: HTML {
    """
    <form method="post" action="/app/restore" data-quiet>
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <button id="restore-\(screen.rawValue)"\(" disabled", if: !canRestore)>\(canRestore ? "Restore purchases" : "Restoring…")</button>
    </form>
    """
  }
}
