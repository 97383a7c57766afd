import Foundation

// Code that shows prices sets the formatter's behaviour, as Apple's examples do. Foundation on Linux lacks the property.
extension NumberFormatter {
  /// Apple's versions of the formatter.
  public enum Behavior: UInt, Sendable {
    case `default` = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case behavior10_0 = 1000
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case behavior10_4 = 1040
  }

  /// Always ``Behavior/behavior10_4``, the only behaviour that Foundation has. Setting it has no effect.
  public var formatterBehavior: Behavior {
    get { .behavior10_4 }
    set {}
  }
}
