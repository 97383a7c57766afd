/// The search field in the header of every page of a site.
package struct SiteSearch: Sendable {
  /// What the search looks in, such as `The whole store`.
  let scope: String
  /// The label of the field.
  let label: String
  let placeholder: String

  package init(scope: String, label: String, placeholder: String) {
    self.scope = scope
    self.label = label
    self.placeholder = placeholder
  }
}

/// The search in the header of every page, and the list of keyboard shortcuts. The page's script opens the list, and acts
/// on the keys.
struct SiteTools<Site: PageSite> {
  let site: Site

  var html: HTML {
    """
    <form class="search" role="search" aria-label="\(site.search.scope)" action="\(site.path)/search" method="get">\
    <label class="sr-only" for="search">\(site.search.label)</label>\
    <input type="search" id="search" name="q" placeholder="\(site.search.placeholder)" aria-keyshortcuts="/" autocomplete="off">\
    </form>
    <button type="button" class="button-plain" id="shortcuts-open" aria-label="Keyboard shortcuts" aria-keyshortcuts="?" hidden>?</button>
    <dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl class="shortcuts">
    <dt><kbd>/</kbd></dt><dd>\(site.search.placeholder)</dd>
    \(Site.Section.allCases.map(row))\(site.shortcuts.map { "<dt><kbd>\($0.key)</kbd></dt><dd>\($0.title)</dd>\n" as HTML })\
    <dt><kbd>?</kbd></dt><dd>This list</dd>
    <dt><kbd>Esc</kbd></dt><dd>Leave the field, or close the list</dd>
    </dl>
    <form method="dialog"><button type="submit">Close</button></form></dialog>
    """
  }

  private func row(_ section: Site.Section) -> HTML {
    """
    <dt><kbd>g</kbd> <kbd>\(section.key)</kbd></dt><dd><a href="\(section.address)" data-key="\(section.key)">\(section.title)</a></dd>

    """
  }
}
