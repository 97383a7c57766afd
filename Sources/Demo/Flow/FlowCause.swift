import SampleApp

/// What began a flow. Each cause has a first stage of its own.
enum FlowCause: Hashable, Sendable {
  case button
  /// A payment that was not added by the button: the app added it by itself, or at an earlier launch.
  case payment
  case restore
  /// The store reported a transaction that the app did not request: a renewal, a purchase outside the app, or an
  /// unfinished transaction after a launch.
  case store
  /// A sign-in that belongs to no purchase.
  case signIn
  case revocation

  /// - Parameter step: the first step of the flow.
  init(_ step: PurchaseStep) {
    switch step {
    case .button: self = .button
    case .restored: self = .restore
    case .signInShown: self = .signIn
    case .revoked, .revocationDelivered, .locked: self = .revocation
    case .journalled, .proofSent, .verified, .content, .saved, .granted, .finished: self = .store
    default: self = .payment
    }
  }

  /// The first stage, if no step reports it; nil if the first step does.
  var impliedStage: FlowStop? {
    switch self {
    case .restore: .restoring
    case .store: .reported
    case .button, .payment, .signIn, .revocation: nil
    }
  }

  /// Whether a flow that began in this way can pass a stage.
  func allows(_ stop: FlowStop) -> Bool {
    switch self {
    case .button: !stop.isOfOtherCauses
    case .payment: !stop.isOfOtherCauses && stop != .pressed
    case .restore: stop == .journalled || stop == .granted || stop.isOfServerGoods
    case .store: stop == .journalled || stop == .granted || stop == .finished || stop.isOfServerGoods
    case .signIn: false
    case .revocation: stop.isOfRevocation
    }
  }
}

extension FlowStop {
  /// Whether no flow that begins with a payment passes the stage.
  fileprivate var isOfOtherCauses: Bool { self == .restoring || self == .reported || isOfRevocation }
}
