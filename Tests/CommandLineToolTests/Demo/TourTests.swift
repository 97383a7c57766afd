import SampleApp
import SampleModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(30))) struct TourTests {
  private func step(
    _ step: PurchaseStep, _ product: String? = nil, on device: String = "phone", withDetail detail: String? = nil
  ) -> DemoEvent {
    .step(device: device, StepReport(step, product: product, detail: detail))
  }

  @Test("A station is done when all its goals were reached in order, whatever happened in between")
  func order() {
    let station = TourStation(
      title: "", requirements: [], instructions: [], lesson: "", goals: [.step(.holding), .step(.forceQuit)])
    var progress = TourProgress([station])
    for event in [step(.forceQuit), step(.holding), step(.granted)] { progress.handle(event) }
    #expect(!progress.isDone(0))
    #expect(progress.current == 0)
    progress.handle(step(.forceQuit))
    #expect(progress.isDone(0))
    #expect(progress.doneCount == 1)
  }

  @Test("A station stays until the user turns to another one, also when it is done; a restart forgets what was done")
  func turns() {
    var progress = TourProgress(
      (0..<3).map { number in
        TourStation(title: "\(number)", requirements: [], instructions: [], lesson: "", goals: [.step(.granted)])
      })
    progress.handle(step(.granted))
    #expect(progress.current == 0 && progress.doneCount == 3)
    progress.turn(.back)
    #expect(progress.current == 0)
    progress.turn(.next)
    #expect(progress.current == 1)
    progress.turn(.to(2))
    #expect(progress.current == 2)
    progress.turn(.next)
    progress.turn(.next)
    #expect(progress.current == nil)
    progress.turn(.back)
    #expect(progress.current == 2)
    progress.turn(.to(.max))
    #expect(progress.current == nil)
    progress.turn(.to(-1))
    #expect(progress.current == 0)
    progress.turn(.restart)
    #expect(progress.current == 0 && progress.doneCount == 0)
  }

  @Test("A goal for a product or device is not reached by another one")
  func goals() {
    let sepia = TourGoal.step(.granted, of: [SampleCatalog.sepia], on: "tablet")
    #expect(sepia.fits(step(.granted, SampleCatalog.sepia, on: "tablet")))
    #expect(!sepia.fits(step(.granted, SampleCatalog.sepia)))
    #expect(!sepia.fits(step(.granted, SampleCatalog.greyscale, on: "tablet")))
    #expect(!sepia.fits(step(.granted, on: "tablet")))
    #expect(!sepia.fits(step(.finished, SampleCatalog.sepia, on: "tablet")))
    let failure = TourGoal.step(.failed, withDetail: "no")
    #expect(failure.fits(step(.failed, withDetail: "no")))
    #expect(!failure.fits(step(.failed, withDetail: "other")))
    #expect(!failure.fits(step(.failed)))
    for end in [PurchaseStep.granted, .failed] { #expect(TourGoal.purchaseEnded.fits(step(end))) }
    #expect(!TourGoal.purchaseEnded.fits(step(.signInRefused)))
    #expect(!TourGoal.purchaseEnded.fits(.refunded))
    #expect(TourGoal.severalSold.fits(.sold(quantity: 2)))
    #expect(!TourGoal.severalSold.fits(.sold(quantity: 1)))
    #expect(TourGoal.refunded.fits(.refunded))
    let notified = TourGoal.notified("REFUND", of: [SampleCatalog.fiveCredits])
    #expect(notified.fits(.notified("REFUND", product: SampleCatalog.fiveCredits)))
    #expect(!notified.fits(.notified("REFUND", product: SampleCatalog.sepia)))
    #expect(!notified.fits(.notified("REFUND", product: nil)))
    #expect(!notified.fits(.notified("REFUND_REVERSED", product: SampleCatalog.fiveCredits)))
    #expect(!notified.fits(.refunded))
  }

  @Test("The stations and the omissions of the tour cover each requirement")
  func requirements() {
    let stations = TourStation.all(first: "phone", second: "tablet").flatMap(\.requirements)
    let omissions = TourOmission.all.map(\.requirement)
    #expect(Set(stations).isDisjoint(with: omissions))
    #expect(Set(omissions).count == omissions.count)
    #expect(Set(stations + omissions).sorted() == Requirements.all.sorted())
    #expect(TourOmission.all.allSatisfy { $0.reason.count > 40 })
  }

  @Test("Each station has instructions and goals, and the tour can be completed")
  func stations() {
    let stations = TourStation.all(first: "phone", second: "tablet")
    for station in stations {
      #expect(!station.requirements.isEmpty && !station.instructions.isEmpty && !station.goals.isEmpty)
      #expect(Set(station.requirements).count == station.requirements.count)
    }
    var progress = TourProgress(stations)
    let products = [
      SampleCatalog.fiveCredits, SampleCatalog.sepia, SampleCatalog.goldMonthly, SampleCatalog.smallPrint,
      SampleCatalog.fiftyPages, RunningApp.creditsOfVersionTwo.product,
    ]
    for _ in 0..<10 {
      for device in ["phone", "tablet"] {
        for product in products {
          for each in PurchaseStep.allCases {
            for detail in [TourStation.unknownErrorText, TourStation.declinedCardText] {
              progress.handle(step(each, product, on: device, withDetail: detail))
            }
          }
        }
      }
      progress.handle(.sold(quantity: 3))
      progress.handle(.refunded)
      progress.handle(.notified("REFUND", product: SampleCatalog.fiveCredits))
    }
    #expect(progress.doneCount == stations.count)
  }
}
