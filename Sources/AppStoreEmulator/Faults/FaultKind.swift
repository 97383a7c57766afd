import StoreModel

/// A kind of fault. Its stored properties are its members in JSON.
public protocol FaultKind: Codable, Hashable, Sendable {
  /// The kind's name in JSON, such as `answerLost`.
  static var name: String { get }
  /// What it does, in a few words for people.
  static var summary: String { get }
  /// The requests it can strike.
  static var possibleCalls: Set<RequestKind> { get }
  /// The requests it strikes where the fault's scope names none.
  static var usualCalls: Set<RequestKind> { get }

  /// Its members in JSON, besides those of every fault.
  static var members: [FaultMember] { get }

  /// What it does to a request that it strikes.
  var effect: FaultEffect { get }
  /// What is wrong with its values, in a sentence; nil if nothing is.
  var problem: String? { get }
}

extension FaultKind {
  public static var usualCalls: Set<RequestKind> { possibleCalls }
  public static var members: [FaultMember] { [] }
  public var problem: String? { nil }
}

extension Set<RequestKind> {
  /// Everything but the devices' waiting for changes. Some such call is nearly always under way, and would be struck by
  /// chance in place of the one that is meant.
  static var everythingButChanges: Set<RequestKind> { everything.subtracting([.device(.changes)]) }
}

/// The kinds there are.
public enum FaultKinds {
  public static let all: [any FaultKind.Type] = [
    AppErrorFault.self, RefusedPasswordFault.self, DeclinedCardFault.self, RestrictedDeviceFault.self,
    NoAnswerFault.self, SlowAnswerFault.self, ConnectionResetFault.self, AnswerLostFault.self, OutageFault.self,
    HeldRequestFault.self, HeldAnswerFault.self, HeldSheetFault.self, ReceiptStatusFault.self,
    ReceiptServerErrorFault.self,
  ]

  static func kind(named name: String) -> (any FaultKind.Type)? { all.first { $0.name == name } }
}
