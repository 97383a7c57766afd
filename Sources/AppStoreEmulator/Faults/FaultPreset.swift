import StoreModel

/// A fault that is often needed, ready to be set.
public struct FaultPreset: Sendable {
  /// Identifies the preset, such as `cardDeclined`.
  public let id: String
  public let title: String
  /// Its effect, in one sentence.
  public let summary: String
  public let fault: Fault

  private init(_ id: String, _ title: String, _ summary: String, _ fault: Fault) {
    self.id = id
    self.title = title
    self.summary = summary
    self.fault = fault
  }

  public static let all: [FaultPreset] = [
    FaultPreset(
      "cardDeclined", "Card declined", "The next purchase is declined, and nothing is charged.",
      Fault(DeclinedCardFault(), count: 1)),
    FaultPreset(
      "answerLost", "Answer lost", "The next purchase is charged, but the device gets no answer.",
      Fault(AnswerLostFault(), count: 1)),
    FaultPreset(
      "storeDown", "Store down", "Every request fails until the fault is removed.", Fault(OutageFault())),
    FaultPreset(
      "storeSlow", "Store slow", "Every answer takes 3 seconds longer until the fault is removed.",
      Fault(SlowAnswerFault(milliseconds: 3_000))),
    FaultPreset(
      "passwordRefused", "Password refused", "The next sign-in fails as with a wrong password.",
      Fault(RefusedPasswordFault(), count: 1)),
    FaultPreset(
      "paymentsNotAllowed", "Payments not allowed",
      "The next purchase stops before its sheet, as on a restricted device.",
      Fault(RestrictedDeviceFault(), count: 1)),
    FaultPreset(
      "unknownError", "Unknown error", "The next purchase fails with SKError.unknown, and nothing is charged.",
      Fault(AppErrorFault(.cannotConnectToStore), count: 1)),
    FaultPreset(
      "receiptServerBusy", "Receipt server busy", "The next verifyReceipt request gets status 21005.",
      Fault(ReceiptStatusFault(.temporarilyUnavailable), count: 1)),
  ]
}
