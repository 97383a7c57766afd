import Foundation
import PurchaseKit

/// A question to the customer before credits are given up.
public struct LossQuestion: Hashable, Sendable {
  /// What the customer has asked for.
  public enum Act: Hashable, Sendable {
    /// To start with 0 credits.
    case reset
    /// To restore a backup that has fewer credits than were lost.
    case importBackup
  }

  public let loss: CreditLoss
  public let act: Act
  /// The name of the credits that the customer sees.
  public let unit: String
  private var names: CustomerNames { CustomerNames(credits: unit) }

  public init(_ loss: CreditLoss, _ act: Act, of unit: String = SampleCatalog.creditsUnit) {
    self.loss = loss
    self.act = act
    self.unit = unit
  }

  public var title: String {
    switch act {
    case .reset: isOnServer ? "Start with \(names.number(loss.balanceAfter))?" : "Start with 0 credits?"
    case .importBackup: "Restore this backup?"
    }
  }

  public var text: String {
    switch act {
    case .reset where isOnServer:
      "The server keeps \(loss.text(names)) for this device, but does not recognise the device any more. Only restored "
        + "purchases bring them back. Keep them frozen if you own a filter, a book or a membership."
    case .reset:
      "\(loss.customerMessage(names)) Only a backup has them. Keep them frozen if you have one, or may find one."
    case .importBackup:
      "The backup brings back \(names.number(loss.balanceAfter)). \(loss.customerMessage(names)) After that, a "
        + "newer backup of them cannot be restored either. Keep everything as it is if you have a newer one."
    }
  }

  /// The title of the button that gives the credits up.
  public var acceptance: String {
    let lost = loss.credits.map(names.number) ?? "all \(names.credits)"
    return switch act {
    case .reset: "Give up \(lost)"
    case .importBackup: "Restore, and give up \(lost)"
    }
  }

  /// Whether the developer's server stores the credits.
  private var isOnServer: Bool { loss.freeze?.reason == .registrationLost }

  /// The title of the button that changes nothing.
  public var refusal: String { "Keep everything as it is" }
}

extension EntitlementManager {
  /// Returns the reason why the customer has lost a product, to be shown beside it. Nil if the customer owns the product,
  /// or never owned it. The receipt does not distinguish a refund from the end of Family Sharing.
  func lossText(of productIdentifier: String) throws -> String? {
    guard try !isEntitled(to: productIdentifier) else { return nil }
    let ends = entitlements.filter { $0.productIdentifier == productIdentifier }.compactMap(\.revocationDate)
    guard let end = ends.max() else { return nil }
    let day = end.formatted(.iso8601.year().month().day())
    return "Refunded, or no longer shared with you, on \(day). Buy it again to use it."
  }
}
