import StoreModel
import WebSupport

extension StoreDate {
  /// The date as a `<time>` element.
  var html: HTML { "<time datetime=\"\(description)\">\(text)</time>" }
}
