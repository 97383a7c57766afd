/// A payment that has no outcome yet.
public enum OpenPayment: Hashable, Sendable, CaseIterable {
  /// On its way: the customer is asked, or the store works.
  case underWay
  /// Waits for somebody else's approval (Ask to Buy); that may take a day, and the app may be closed meanwhile.
  case waitingForApproval
}
