/// What hostile texts would be on a page that took them for markup.
enum ForbiddenMarkup {
  private static let all = [
    "<script>", "<img src=x", "<b>", "</textarea>", " onfocus=\"", " onfocus='", " onmouseover=\"", "]]><!--",
  ]

  /// Those that a page has.
  static func found(in page: String) -> [String] { all.filter { page.contains($0) } }
}
