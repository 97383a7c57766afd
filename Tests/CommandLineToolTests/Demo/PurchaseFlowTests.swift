import SampleApp
import SampleModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(10))) struct PurchaseFlowTests {
  private func flow(_ steps: [PurchaseStep], product: String = "p") -> PurchaseFlow {
    var flow = PurchaseFlow()
    for step in steps { flow.handle(StepReport(step, product: product)) }
    return flow
  }

  private let whole: [PurchaseStep] = [
    .button, .paymentAdded, .quoted, .confirmationShown, .confirmed, .charged, .journalled, .granted, .finished,
  ]

  @Test("B3 each step of a purchase highlights its stage, the last one most")
  func lights() {
    for count in 1...whole.count {
      let flow = flow(Array(whole.prefix(count)))
      #expect(flow.passed == Set(whole.prefix(count).compactMap { FlowStop($0) }))
      #expect(flow.last == FlowStop(whole[count - 1]))
    }
    #expect(flow(whole).remark?.tone == .good)
  }

  @Test("The next purchase resets the flow, also one that starts without the button")
  func nextPurchase() {
    #expect(flow(whole + [.button]).passed == [.pressed])
    #expect(flow(whole + [.paymentAdded]).passed == [.queued])
    #expect(flow(whole + [.button, .paymentAdded]).passed == [.pressed, .queued])
    let late = flow(whole + [.button, .quoted, .signInShown, .paymentAdded])
    #expect(late.passed == [.pressed, .quoted, .asked, .queued])
    #expect(flow(whole + [.restored, .granted]).passed == [.journalled, .granted])
  }

  @Test("B9 killed between charge and grant: the charge stays highlighted, and the rest follows after the launch")
  func killed() {
    let cut = flow(Array(whole.prefix(7)) + [.holding])
    #expect(cut.remark?.tone == .wait)
    let killed = flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched])
    #expect(killed.passed == cut.passed)
    #expect(flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched, .granted, .finished]).last == .finished)
  }

  @Test(
    "Failures are shown as remarks, with their details",
    arguments: [
      (PurchaseStep.cancelled, "Cancelled. Nothing was charged."),
      (.boughtBefore, "Bought before: delivered again, and not charged."),
      (.failed, "Failed. Nothing was charged: the card"), (.kept, "Not granted yet; it is tried again later: the card"),
      (.verificationRefused, "The server refused the receipt: the card"),
      (.refused, "Not granted; the transaction is finished: the card"),
    ])
  func remarks(_ step: PurchaseStep, _ text: String) {
    var flow = flow([.button, .paymentAdded])
    flow.handle(StepReport(step, product: "p", detail: "the card"))
    #expect(flow.remark?.text == text)
  }

  @Test(
    "B3 D3 E1 C2 H2 each way of a transaction ends with what it cost",
    arguments: [
      ([.charged, .journalled, .granted, .finished], "Done: charged once, granted once."),
      ([.redelivered, .journalled, .granted, .boughtBefore, .finished], "Done: delivered again, and not charged."),
      ([.redelivered, .journalled, .granted, .finished], "Done: delivered again, and not charged."),
      ([.planChangeScheduled, .finished], "Done: the plan changes with the next period. Nothing was charged."),
      ([.failed, .finished], "Failed. Nothing was charged"),
      ([.cancelled, .finished], "Cancelled. Nothing was charged."),
      ([.charged, .journalled, .refused, .finished], "Not granted; the transaction is finished"),
      ([.deferred], "Pending approval (Ask to Buy). Nothing is charged yet."),
      ([.networkLost], "No network: the purchase waits, and continues when the network is back."),
    ] as [([PurchaseStep], String)])
  func endings(_ steps: [PurchaseStep], _ text: String) {
    let ended = flow([.button, .paymentAdded, .quoted, .confirmationShown, .confirmed] + steps)
    #expect(ended.remark?.text == text)
    #expect(ended.hasFailed == !Set(steps).isDisjoint(with: [.failed, .cancelled, .refused]))
  }

  @Test("E1 D3 what was restored or bought before has stages of its own, and none says that it was charged")
  func ways() {
    let restored = flow([.restored, .granted], product: SampleCatalog.sepia)
    #expect(restored.stops == [.journalled, .granted])
    #expect(restored.remark?.text == "Done: restored, and not charged.")
    let before = flow([.button, .redelivered], product: SampleCatalog.sepia)
    for (step, title) in [(PurchaseStep.failed, "Failed: the app is told"), (.cancelled, "Cancelled: the app is told")]
    {
      let ended = flow([.button, .paymentAdded, step])
      #expect(ended.stops == [.pressed, .queued, .journalled] && ended.last?.title(on: ended.way) == title)
    }
    for flow in [restored, before] {
      #expect(!flow.stops.contains { $0.title(on: flow.way).hasPrefix("Charged") })
    }
    // A relaunched app is granted what was charged before.
    let relaunched = flow([.launched, .journalled, .granted, .finished])
    #expect(relaunched.remark?.text == "Done: granted once. It was charged earlier.")
  }

  @Test("G1 only what the developer's server delivers passes the server's stages")
  func serverStages() {
    let isServed = [SampleCatalog.sepia, SampleCatalog.smallPrint, SampleCatalog.fiftyPages].map { product in
      flow([.button], product: product).stops.contains(.receiptSent)
    }
    #expect(isServed == [false, true, true])
    #expect(PurchaseFlow().stops == FlowStop.allCases)
  }

  @Test("Every stage belongs to a step, and lies between two participants or at one")
  func everyStop() {
    #expect(Set(PurchaseStep.allCases.compactMap { FlowStop($0) }) == Set(FlowStop.allCases))
    #expect(Set(FlowStop.allCases.map { $0.title(on: .bought) }).count == FlowStop.allCases.count)
  }
}
