import AppStoreServerAPI

/// The values of an answer to a request for information about consumption. A nil value is not stated yet: it is computed when the
/// answer is sent.
public struct ConsumptionValues: Hashable, Codable, Sendable {
  /// The refund that the app's developer prefers. The App Store decides.
  public enum Preference: String, CaseIterable, Hashable, Codable, Sendable {
    case grant
    case decline
    /// Of the part that was not consumed.
    case prorated
  }

  public typealias Delivery = ConsumptionRequest.DeliveryStatus

  public var refundPreference: Preference?
  public var deliveryStatus: Delivery?
  /// The consumed part, in thousandths of a percent: 0 to 100,000.
  public var consumptionPercentage: Int64?
  /// Whether the customer could try the content before the purchase.
  public var sampleContentProvided: Bool?

  public init(
    refundPreference: Preference? = nil, deliveryStatus: Delivery? = nil, consumptionPercentage: Int64? = nil,
    sampleContentProvided: Bool? = nil
  ) {
    self.refundPreference = refundPreference
    self.deliveryStatus = deliveryStatus
    self.consumptionPercentage = consumptionPercentage
    self.sampleContentProvided = sampleContentProvided
  }
}

extension ConsumptionValues.Preference: SQLValueConvertible {}
extension ConsumptionRequest.DeliveryStatus: SQLValueConvertible {}

/// The state of a request for information about consumption (Documentation/app-store-updates.md has the table).
public enum ConsumptionState: String, CaseIterable, Hashable, Codable, Sendable {
  /// An operator has to answer it.
  case waiting
  /// The server sends the answer, and repeats it after failures.
  case open
  /// The customer has not consented, so nothing is sent. It is `open` again if the customer consents before the deadline.
  case noConsent
  /// No customer has claimed the purchase, so nothing is known. It is `open` again if it is claimed before the deadline.
  case unclaimed
  /// The App Store has accepted the answer.
  case answered
  /// The App Store has refused the answer.
  case refused
  /// The deadline has passed without an answer.
  case expired
  /// The App Store has decided on the refund, or has asked again; or the app's policy is `off` now.
  case closed

  /// Whether nothing happens any more, whatever the date. Requests without consent or claim have no such state: they end at the
  /// deadline.
  var isFinal: Bool {
    switch self {
    case .waiting, .open, .noConsent, .unclaimed: false
    case .answered, .refused, .expired, .closed: true
    }
  }
}

extension ConsumptionState: SQLValueConvertible {}
