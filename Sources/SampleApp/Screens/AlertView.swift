import WebSupport

/// An alert of the app, shown until the customer has read it.
struct AlertView: Hashable, Sendable {
  let text: String
  /// The screen behind the alert.
  let screen: AppScreen

  /// Identifies the alert's text in the form that dismisses the alert. The value is valid only until the app ends,
  /// because Swift computes different hashes in each process.
  var reading: String { Self.reading(text) }

  static func reading(_ text: String) -> String { String(UInt(bitPattern: text.hashValue), radix: 36) }

  var html: HTML {
    """
    <dialog class="sheet alert" id="alert" data-sheet open role="alertdialog" aria-labelledby="alert-title" aria-describedby="alert-text">
    <form method="post" action="/app/alert" data-quiet>
    <input type="hidden" name="reading" value="\(reading)">
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <h2 id="alert-title" class="sr-only">Message from the app</h2>
    <div class="sheet-name" id="alert-text" tabindex="0" data-scroll>\(.name(text))</div>
    <div class="sheet-buttons"><button class="button-primary" id="alert-ok" data-cancel autofocus>OK</button></div>
    </form>
    </dialog>
    """
  }
}
