import SampleApp
import SampleModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(30))) struct PurchaseFlowTests {
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

  @Test("Only what a purchase passes is drawn of a sign-in; a refused password charges nothing")
  func signIn() {
    let begun: [PurchaseStep] = [.button, .paymentAdded, .signInShown]
    let refused = flow(begun + [.signInRefused, .signInShown])
    #expect(refused.last == .signInRefused && refused.remark?.text == "Sign-in refused. Nothing is charged")
    let givenUp = flow(begun + [.signInRefused, .failed])
    #expect(givenUp.stops == [.pressed, .queued, .signIn, .signInRefused, .journalled])
    let accepted = flow(begun + [.signInRefused, .signInShown, .signedIn, .quoted])
    #expect(accepted.last == .quoted && accepted.remark == nil)
    #expect(accepted.passed == [.pressed, .queued, .signIn, .signInRefused, .signedIn, .quoted])
    #expect(!flow(whole).stops.contains { $0.isOccasional })
    // Signed in in the settings, after a purchase and during one, and for a restore.
    #expect(flow(whole + [.signInRefused, .signedIn]).passed == flow(whole).passed)
    #expect(flow([.button, .paymentAdded, .signedIn]).passed == [.pressed, .queued])
    #expect(flow(whole + [.signInShown]).passed == [.signIn])
  }

  @Test("C4 while the store does not answer, only what happened is drawn, and that StoreKit waits")
  func waiting() {
    let before: [PurchaseStep] = [.button, .paymentAdded]
    let waiting = flow(before + [.storeUnreachable])
    #expect(waiting.isWaiting && waiting.stops == [.pressed, .queued, .waiting] && waiting.last == .waiting)
    #expect(waiting.remark?.tone == .wait)
    // The queue may report the payment after the first request.
    #expect(flow([.button, .storeUnreachable, .paymentAdded]) == waiting)
    let further = flow(before + [.storeUnreachable, .quoted])
    #expect(!further.isWaiting && further.last == .quoted && further.stops.contains(.finished))
    // The finish of the purchase before this one does not reach the store.
    var next = flow(before)
    next.handle(StepReport(.storeUnreachable, product: "another"))
    #expect(!next.isWaiting)
    #expect(flow(whole + [.storeUnreachable]).passed == flow(whole).passed)
    for ended in [[.cancelled], [.restored, .granted]] as [[PurchaseStep]] {
      #expect(flow(before + ended + [.networkLost]).remark == flow(before + ended).remark)
      #expect(flow(before + ended + [.forceQuit, .launched]).remark?.text == "The app was opened.")
    }
    let lateFinish = flow(Array(whole.dropLast()) + [.storeUnreachable, .finished])
    #expect(lateFinish.remark?.text == "Done: charged once, granted once.")
  }

  @Test("B3 a payment that waits for approval has only the stages that it passed, until it is decided")
  func deferred() {
    let begun: [PurchaseStep] = [.button, .paymentAdded, .quoted, .confirmationShown, .confirmed, .deferred]
    let deferred = flow(begun)
    #expect(deferred.way == .deferred && deferred.last == .deferred)
    #expect(deferred.stops == [.pressed, .queued, .quoted, .asked, .confirmed, .deferred])
    for approval in [[.charged, .journalled], [.journalled]] as [[PurchaseStep]] {
      let approved = flow(begun + [.forceQuit, .launched] + approval)
      #expect(approved.way == .bought && approved.stops.contains(.finished) && approved.stops.contains(.deferred))
    }
    let declined = flow(begun + [.failed])
    #expect(declined.way == .failed && declined.hasFailed && declined.last == .journalled)
  }

  @Test("H1 a refund has stages of its own, and what happens to other products is not drawn as part of it")
  func refund() {
    let refund: [PurchaseStep] = [.revoked, .revocationDelivered, .locked]
    for (count, stage) in [FlowStop.revoked, .revocationDelivered, .locked].enumerated() {
      let flow = flow(whole + refund.prefix(count + 1))
      #expect(flow.way == .revoked && flow.last == stage && !flow.hasFailed)
      #expect(flow.stops == [.revoked, .revocationDelivered, .locked])
    }
    var refunded = flow(whole + refund)
    #expect(refunded.remark?.text == "Refunded, or no longer shared: the product is locked.")
    refunded.handle(StepReport(.locked, product: "another"))
    refunded.handle(StepReport(.finished, transaction: "1"))
    #expect(refunded.product == "p" && refunded.passed == [.revoked, .revocationDelivered, .locked])
    #expect(flow(whole + refund + whole).passed == flow(whole).passed)
    // A product that the app does not own: the store notifies the device, and the app has nothing to lock.
    #expect(flow([.revoked, .revocationDelivered]).last == .revocationDelivered)
    // A sign-in repeats earlier revocations. The drawing stays with the purchase.
    let signingIn: [PurchaseStep] = [.button, .paymentAdded, .signInShown, .signedIn]
    #expect(flow(signingIn + refund).passed == flow(signingIn).passed)
    #expect(flow(signingIn).stops.allSatisfy { !$0.isOfRevocation })
    // A payment that waits for approval may wait for days.
    #expect(flow([.button, .paymentAdded, .deferred] + refund).way == .revoked)
  }

  @Test("The next purchase resets the flow, also one that starts without the button")
  func nextPurchase() {
    #expect(flow(whole + [.button]).passed == [.pressed])
    #expect(flow(whole + [.paymentAdded]).passed == [.queued])
    #expect(flow(whole + [.button, .paymentAdded]).passed == [.pressed, .queued])
    let late = flow(whole + [.button, .quoted, .confirmationShown, .paymentAdded])
    #expect(late.passed == [.pressed, .quoted, .asked, .queued])
    #expect(flow(whole + [.restored, .granted]).passed == [.restoring, .journalled, .granted])
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
      (.verificationRefused, "The server refused the proof: the card"),
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
      ([.networkLost], "No network: the purchase waits for the store."),
    ] as [([PurchaseStep], String)])
  func endings(_ steps: [PurchaseStep], _ text: String) {
    let ended = flow([.button, .paymentAdded, .quoted, .confirmationShown, .confirmed] + steps)
    #expect(ended.remark?.text == text)
    #expect(ended.hasFailed == !Set(steps).isDisjoint(with: [.failed, .cancelled, .refused]))
  }

  @Test("E1 D3 what was restored or bought before has stages of its own, and none says that it was charged")
  func ways() {
    let restored = flow([.restored, .granted], product: SampleCatalog.sepia)
    #expect(restored.stops == [.restoring, .journalled, .granted])
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
    #expect(outside.way == .bought && outside.passed == [.reported, .journalled] && outside.product == "b")
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

  @Test("E1 B7 each cause of a transaction has a first stage of its own, and only a press of Buy draws the button")
  func causes() {
    let restored = flow([.restored], product: SampleCatalog.smallPrint)
    #expect(restored.stops == [.restoring, .journalled, .proofSent, .verified, .content, .saved, .granted])
    #expect(restored.sidesOfFirst == [.app, .storeKit])
    // The customer signs in for the restoration, also after a purchase.
    let signedIn = flow(whole + [.signInShown, .signedIn, .restored, .granted])
    #expect(signedIn.stops == [.restoring, .signIn, .signedIn, .journalled, .granted])
    let elsewhere = flow(whole + [.journalled], product: SampleCatalog.sepia)
    #expect(elsewhere.cause == .store && elsewhere.stops == [.reported, .journalled, .granted, .finished])
    #expect(elsewhere.sidesOfFirst == [.store, .storeKit])
    #expect(flow([.launched, .journalled]).stops.first == .reported)
    let added = flow([.paymentAdded])
    #expect(added.cause == .payment && added.stops.first == .queued)
    #expect(flow([.quoted]).stops.first == .quoted)
    #expect(flow([.signInShown]).stops == [.signIn])
    // A sign-in in the settings begins nothing.
    #expect(flow([.signedIn]) == PurchaseFlow())
    #expect(flow([.button]).stops.first == .pressed)
  }

  @Test("G3 a stage that was not passed is not drawn under a purchase that is done")
  func passedOver() {
    let served = Array(whole.dropLast(2)) + [.proofSent, .verified]
    // The server's answer contains a small book. Pages have no content.
    let book = flow(served + [.saved, .granted, .finished], product: SampleCatalog.smallPrint)
    #expect(Set(book.stops) == book.passed && !book.stops.contains(.content))
    #expect(
      flow(served + [.saved], product: SampleCatalog.smallPrint).stops.suffix(3) == [.saved, .granted, .finished])
    let pages = flow(served, product: SampleCatalog.fiftyPages)
    #expect(pages.stops.suffix(3) == [.verified, .granted, .finished])
    // A large book is downloaded after its purchase.
    let large = flow(served + [.granted, .finished], product: SampleCatalog.encyclopedia)
    #expect(Set(large.stops) == large.passed)
    var later = large
    for step in [PurchaseStep.content, .saved] {
      later.handle(StepReport(step, product: SampleCatalog.encyclopedia))
      #expect(later.stops.contains(FlowStop(step)!) && later.last == .finished)
      #expect(later.remark?.text == "Done: charged once, granted once.")
    }
    // Of several restored purchases, the last one is drawn, without what the server says of the others.
    var restored = flow([.restored], product: SampleCatalog.smallPrint)
    restored.handle(StepReport(.restored, product: SampleCatalog.sepia, transaction: "2"))
    for step in [PurchaseStep.proofSent, .verified, .saved] {
      restored.handle(StepReport(step, product: SampleCatalog.smallPrint))
    }
    #expect(restored.product == SampleCatalog.sepia && restored.stops == [.restoring, .journalled, .granted])
  }

  @Test("G1 only what the developer's server delivers passes the server's stages")
  func serverStages() {
    let isServed = [SampleCatalog.sepia, SampleCatalog.smallPrint, SampleCatalog.fiftyPages].map { product in
      flow([.button], product: product).stops.contains(.proofSent)
    }
    #expect(isServed == [false, true, true])
    let implied = [FlowStop.restoring, .reported]
    #expect(
      PurchaseFlow().stops
        == FlowStop.allCases.filter { !$0.isOccasional && !$0.isOfRevocation && !implied.contains($0) })
  }

  @Test("Every stage belongs to a step, and lies between two participants or at one")
  func everyStop() {
    let reported = Set(PurchaseStep.allCases.compactMap { FlowStop($0) })
    #expect(reported.union([.restoring, .reported]) == Set(FlowStop.allCases))
    #expect(Set(FlowStop.allCases.map { $0.title(on: .bought) }).count == FlowStop.allCases.count)
  }
}

extension PurchaseFlow {
  /// The participants of the first stage.
  fileprivate var sidesOfFirst: [FlowParticipant] { stops.first.map { [$0.sides.from, $0.sides.to] } ?? [] }
}
