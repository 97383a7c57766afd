import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Faults in JSON", .timeLimit(.minutes(30)))
struct FaultCodingTests {
  /// Faults with all their members.
  private static let written: [any FaultKind] = [
    AppErrorFault(.failedPaymentSheet), RefusedPasswordFault(), DeclinedCardFault(), RestrictedDeviceFault(),
    NoAnswerFault(), SlowAnswerFault(milliseconds: 20), ConnectionResetFault(), AnswerLostFault(),
    OutageFault(.unreachable), HeldRequestFault(), HeldAnswerFault(), HeldSheetFault(),
    ReceiptStatusFault(.init(rawValue: 21150) ?? .valid, isRetryable: false), ReceiptServerErrorFault(httpStatus: 502),
    ExpiredCertificateFault(.notYetValid), OCSPDownFault(.tryLater), OCSPRevokedFault(.intermediate),
  ]

  /// At least one fault of each kind. A kind that is not among ``written`` has the examples of its required members.
  static let all: [any FaultKind] = written + FaultKinds.all.compactMap(example)

  private static func example(of kind: any FaultKind.Type) -> (any FaultKind)? {
    if written.contains(where: { type(of: $0) == kind }) { return nil }
    var members: [String: Any] = ["kind": kind.name]
    for member in kind.members where member.isRequired {
      switch member.value {
      case .integer: members[member.name] = member.example.flatMap { Int($0) }
      case .milliseconds: members[member.name] = 20
      case .flag: members[member.name] = true
      case .choice(let choices): members[member.name] = choices.last?.value
      case .appError: members[member.name] = ["domain": "SKErrorDomain", "code": 2]
      }
    }
    let json = try? JSONSerialization.data(withJSONObject: members)
    return json.flatMap { try? JSONDecoder().decode(Fault.self, from: $0) }?.kind
  }

  @Test("no two kinds have a member of the same name, because the API describes the members of all kinds together")
  func memberNames() {
    let names = FaultKinds.all.flatMap { $0.members.map(\.name) }
    #expect(Set(names).count == names.count, "\(names.sorted())")
  }

  private func json(_ fault: Fault) throws -> String {
    String(decoding: try DeviceAPI.encoder().encode(fault), as: UTF8.self)
  }

  private func decoded(_ text: String) throws -> Fault {
    try JSONDecoder().decode(Fault.self, from: Data(text.utf8))
  }

  @Test("every kind is among them, has a name of its own, and comes back as it was", arguments: all.indices)
  func roundTrip(index: Int) throws {
    let kind = Self.all[index]
    let fault = Fault(
      kind, id: "x",
      scope: FaultScope(calls: [.verifyReceipt, .device(.quote)], environment: .production, customer: "ada"),
      count: 3, probability: 0.5, seed: .max, durationSeconds: 60)
    let text = try json(fault)
    let back = try decoded(text)
    #expect(try json(back) == text)
    #expect(AnyHashable(back.kind) == AnyHashable(kind))
    #expect(back.scope == fault.scope)
    #expect(Set(FaultKinds.all.map { $0.name }).count == FaultKinds.all.count)
    #expect(Set(Self.all.map { type(of: $0).name }) == Set(FaultKinds.all.map { $0.name }))
  }

  @Test("what is left out stays out: a fault is no more than its kind")
  func least() throws {
    #expect(try json(Fault(AnswerLostFault())) == #"{"kind":"answerLost"}"#)
    #expect(
      try json(Fault(OutageFault(.unreachable), scope: FaultScope(productID: "tea")))
        == #"{"appearance":"unreachable","kind":"outage","scope":{"productId":"tea"}}"#)
    let fault = try decoded(#"{"kind":"appError","error":{"domain":"SKErrorDomain","code":0}}"#)
    #expect((fault.kind as? AppErrorFault)?.error == .cannotConnectToStore)
  }

  @Test(
    "what is not understood is refused, never passed over",
    arguments: [
      (#"{"kind":"flood"}"#, "flood"), (#"{}"#, "kind"), (#"{"kind":"answerLost","cuont":1}"#, "cuont"),
      (#"{"kind":"answerLost","milliseconds":1}"#, "milliseconds"), (#"{"kind":"slowAnswer"}"#, "milliseconds"),
      (#"{"kind":"outage","scope":{"call":"quote"}}"#, "call"),
      (#"{"kind":"outage","scope":{"calls":["buy"]}}"#, "buy"),
      (#"{"kind":"receiptStatus","status":20999}"#, "20999"), (#"{"kind":"outage","appearance":"quiet"}"#, "quiet"),
      (#"{"kind":"outage","seed":-1}"#, "at least 0"),
    ])
  func malformed(text: String, word: String) throws {
    do {
      _ = try decoded(text)
      Issue.record("\(text) was taken")
    } catch let error as DecodingError {
      #expect("\(error)".contains(word))
    }
  }

  @Test("a report is the fault and what came of it")
  func report() async throws {
    let shop = try await TeaShop()
    try shop.store.set(Fault(OutageFault(), count: 2, durationSeconds: 60))
    let phone = Phone(id: "p", vendorID: UUID())
    #expect(try await refusal { _ = try await shop.store.unfinished(for: phone.id) } == .temporarilyUnavailable)
    let text = String(decoding: try DeviceAPI.encoder().encode(try shop.store.fault("fault-1")), as: UTF8.self)
    let start = TeaShop.opening.millisecondsSince1970
    #expect(
      text == """
        {"count":2,"durationSeconds":60,"endDate":\(start + 60_000),"hits":1,"id":"fault-1","isActive":true,"kind":"outage",\
        "remaining":1,"setDate":\(start),"waiting":0}
        """)
  }
}
