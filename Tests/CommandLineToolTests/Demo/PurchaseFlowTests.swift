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
    // What was charged before the app was opened.
    let relaunched = flow([.launched, .journalled, .granted, .finished])
    #expect(relaunched.remark?.text == "Done: granted once.")
  }

  @Test("B7 E1 H2 a transaction that comes by itself has a flow of its own, and says nothing of the one before")
  func byItself() {
    func reports(_ transaction: String, _ product: String, _ steps: PurchaseStep...) -> [StepReport] {
      steps.map { StepReport($0, product: product, transaction: transaction) }
    }
    let before: [StepReport] =
      [.button, .paymentAdded, .redelivered].map { StepReport($0, product: "a") }
      + reports("1", "a", .journalled, .boughtBefore, .granted)
    func flow(_ reports: [StepReport]) -> PurchaseFlow {
      var flow = PurchaseFlow()
      for report in reports { flow.handle(report) }
      return flow
    }
    // Bought outside the app, while the finish of the one before is still under way.
    let outside = flow(before + reports("2", "b", .journalled) + [StepReport(.finished, transaction: "1")])
    #expect(outside.way == .bought && outside.passed == [.journalled] && outside.product == "b")
    // A renewal of the same product, after a change of plan.
    let change = [StepReport(.button, product: "a")] + reports("1", "a", .journalled, .planChangeScheduled, .finished)
    let renewal = flow(change + reports("2", "a", .journalled, .granted, .finished))
    #expect(renewal.remark?.text == "Done: granted once.")
    // Delivered again after a relaunch: the same flow goes on.
    let charged = [StepReport(.button, product: "a"), StepReport(.charged, product: "a")]
    let again = flow(
      charged + reports("1", "a", .journalled) + [StepReport(.forceQuit), StepReport(.launched)]
        + reports("1", "a", .journalled, .granted, .finished))
    #expect(again.remark?.text == "Done: charged once, granted once.")
    // Approved after another product was cancelled.
    let cancelled = ["a", "b"].map { StepReport(.button, product: $0) } + [StepReport(.cancelled, product: "b")]
    let approved = flow(
      cancelled + [StepReport(.charged, product: "a")] + reports("3", "a", .journalled, .granted, .finished))
    #expect(approved.remark?.text == "Done: charged once, granted once." && !approved.hasFailed)
  }

  @Test("A1 what is free is not shown as charged")
  func free() {
    let free = flow([.button, .paymentAdded, .confirmed, .free, .journalled, .granted, .finished])
    #expect(free.remark?.text == "Done: granted once, free of charge.")
    #expect(!free.stops.contains { $0.title(on: free.way).hasPrefix("Charged") })
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
