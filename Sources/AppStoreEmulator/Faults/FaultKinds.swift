/// All kinds of faults. To add a kind, add a file to the folder `Kinds`, and the kind's type to ``all``.
public enum FaultKinds {
  public static let all: [any FaultKind.Type] = [
    AppErrorFault.self, RefusedPasswordFault.self, DeclinedCardFault.self, RestrictedDeviceFault.self,
    NoAnswerFault.self, SlowAnswerFault.self, ConnectionResetFault.self, AnswerLostFault.self, OutageFault.self,
    HeldRequestFault.self, HeldAnswerFault.self, HeldSheetFault.self, ReceiptStatusFault.self,
    ReceiptServerErrorFault.self, ExpiredCertificateFault.self,
  ]

  static func kind(named name: String) -> (any FaultKind.Type)? { all.first { $0.name == name } }
}
