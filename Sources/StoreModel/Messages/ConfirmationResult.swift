import Foundation

/// The store's answer to a confirmation.
public enum ConfirmationResult: Hashable, Codable, Sendable {
  /// The customer was charged, now or when this payment id was first confirmed, or owned the product already.
  case purchased(DeliveryBatch)
  /// The quote is no longer valid, and nothing was charged. The customer must confirm this quote instead.
  case stale(PaymentQuote)
  /// The payment waits for approval (Ask to Buy), and nothing was charged yet. After the decision, the same
  /// confirmation returns the result.
  case deferred
}

extension ConfirmationResult {
  private enum CodingKeys: String, CodingKey { case purchased, stale, deferred }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let batch = try container.decodeIfPresent(DeliveryBatch.self, forKey: .purchased) {
      self = .purchased(batch)
    } else if try container.decodeIfPresent(Bool.self, forKey: .deferred) == true {
      self = .deferred
    } else {
      self = .stale(try container.decode(PaymentQuote.self, forKey: .stale))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .purchased(let batch): try container.encode(batch, forKey: .purchased)
    case .stale(let quote): try container.encode(quote, forKey: .stale)
    case .deferred: try container.encode(true, forKey: .deferred)
    }
  }
}
