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
  private static let names = SampleCatalog.customerNames

  public init(_ loss: CreditLoss, _ act: Act) {
    self.loss = loss
    self.act = act
  }

  public var title: String {
    switch act {
    case .reset: "Start with 0 credits?"
    case .importBackup: "Restore this backup?"
    }
  }

  public var text: String {
    switch act {
    case .reset:
      "\(loss.customerMessage(Self.names)) Only a backup has them. Keep them frozen if you have one, or may find one."
    case .importBackup:
      "The backup brings back \(Self.names.number(loss.balanceAfter)). \(loss.customerMessage(Self.names)) After that, a "
        + "newer backup of them cannot be restored either. Keep everything as it is if you have a newer one."
    }
  }

  /// The title of the button that gives the credits up.
  public var acceptance: String {
    let lost = loss.credits.map(Self.names.number) ?? "all \(Self.names.credits)"
    return switch act {
    case .reset: "Give up \(lost)"
    case .importBackup: "Restore, and give up \(lost)"
    }
  }

  /// The title of the button that changes nothing.
  public var refusal: String { "Keep everything as it is" }
}
