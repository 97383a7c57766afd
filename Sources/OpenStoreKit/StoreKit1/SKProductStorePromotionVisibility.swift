/// Whether a promoted product shows on this device. Closed, as Apple's.
/// Implements Apple's `SKProductStorePromotionVisibility`.
@frozen public enum SKProductStorePromotionVisibility: Int, Sendable {
  /// As it was set in App Store Connect.
  case `default` = 0
  case show = 1
  case hide = 2
}
