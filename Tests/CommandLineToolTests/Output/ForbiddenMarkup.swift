/// The markup that hostile texts would become on a page that does not escape them.
enum ForbiddenMarkup {
  private static let all = [
    "<script>", "<img src=x", "<b>", "</textarea>", " onfocus=\"", " onfocus='", " onmouseover=\"", "]]><!--",
  ]

  /// Returns the markup that a page contains.
  static func found(in page: String) -> [String] { all.filter { page.contains($0) } }
}
