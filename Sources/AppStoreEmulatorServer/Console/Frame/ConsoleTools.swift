import WebSupport

/// The search in the header of every page, and the list of keyboard shortcuts. The page's script opens the list, and
/// acts on the keys.
enum ConsoleTools {
  static let html: HTML = """
    <form class="search" role="search" aria-label="The whole store" action="/console/search" method="get">\
    <label class="sr-only" for="search">Look up a transaction, order, customer, product or installation</label>\
    <input type="search" id="search" name="q" placeholder="Look up an id or a name" aria-keyshortcuts="/" autocomplete="off">\
    </form>
    <button type="button" class="button-plain" id="shortcuts-open" aria-label="Keyboard shortcuts" aria-keyshortcuts="?" hidden>?</button>
    <dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl class="shortcuts">
    <dt><kbd>/</kbd></dt><dd>Look up an id or a name</dd>
    \(ConsoleSection.allCases.map(row))<dt><kbd>r</kbd></dt><dd>To the Refund button of a transaction</dd>
    <dt><kbd>?</kbd></dt><dd>This list</dd>
    <dt><kbd>Esc</kbd></dt><dd>Leave the field, or close the list</dd>
    </dl>
    <form method="dialog"><button type="submit">Close</button></form></dialog>
    """

  private static func row(_ section: ConsoleSection) -> HTML {
    """
    <dt><kbd>g</kbd> <kbd>\(section.key)</kbd></dt><dd><a href="\(section.address)" data-key="\(section.key)">\(section.title)</a></dd>

    """
  }
}
