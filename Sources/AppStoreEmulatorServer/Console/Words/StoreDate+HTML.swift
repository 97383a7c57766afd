import StoreModel
import WebPages

extension StoreDate {
  /// `2026-07-01 12:00:00`, in UTC, as everything the console tells; with milliseconds where there are any.
  var words: String {
    let text = description
    guard text.hasSuffix("Z") else { return text }
    return text.replacing("T", with: " ").replacing(".000Z", with: "").replacing("Z", with: "")
  }

  /// For people and programs.
  var html: HTML { "<time datetime=\"\(description)\">\(words)</time>" }
}
