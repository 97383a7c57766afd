import StoreModel
import WebSupport

extension StoreDate {
  /// For people and programs.
  var html: HTML { "<time datetime=\"\(description)\">\(words)</time>" }
}
