/// The visibility of a promoted product on this device. Frozen, like Apple's. Implements Apple's
/// `SKProductStorePromotionVisibility`.
@frozen public enum SKProductStorePromotionVisibility: Int, Sendable {
  /// The visibility that is set in App Store Connect.
  case `default` = 0
  case show = 1
  case hide = 2
}
