import StoreModel
import WebPages

extension StoreDate {
  /// For people and programs.
  var html: HTML { "<time datetime=\"\(description)\">\(words)</time>" }
}
