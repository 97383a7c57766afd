import SampleApp
import SampleModel
import Testing

@testable import CommandLineTool

@Suite struct TourTests {
  private func step(_ step: PurchaseStep, _ product: String? = nil, on device: String = "phone") -> DemoEvent {
    .step(device: device, StepReport(step, product: product))
  }

  @Test("A station is done when what it waits for has happened, in its order, whatever happened between")
  func order() {
    let station = TourStation(
      title: "", requirements: [], instructions: [], lesson: "", goals: [.step(.holding), .step(.forceQuit)])
    var progress = TourProgress([station])
    for event in [step(.forceQuit), step(.holding), step(.granted)] { progress.hear(event) }
    #expect(!progress.isDone(0))
    #expect(progress.current == 0)
    progress.hear(step(.forceQuit))
    #expect(progress.isDone(0))
    #expect(progress.current == nil)
    #expect(progress.doneCount == 1)
  }

  @Test("A goal of a product or a device is reached by no other")
  func goals() {
    let sepia = TourGoal.step(.granted, of: [SampleCatalog.sepia], on: "tablet")
    #expect(sepia.fits(step(.granted, SampleCatalog.sepia, on: "tablet")))
    #expect(!sepia.fits(step(.granted, SampleCatalog.sepia)))
    #expect(!sepia.fits(step(.granted, SampleCatalog.greyscale, on: "tablet")))
    #expect(!sepia.fits(step(.granted, on: "tablet")))
    #expect(!sepia.fits(step(.finished, SampleCatalog.sepia, on: "tablet")))
    #expect(TourGoal.severalSold.fits(.sold(quantity: 2)))
    #expect(!TourGoal.severalSold.fits(.sold(quantity: 1)))
    #expect(TourGoal.refunded.fits(.refunded))
  }

  @Test("The tour names requirements that exist, each station at least one, and can be walked to its end")
  func stations() {
    let stations = TourStation.all(first: "phone", second: "tablet")
    for station in stations {
      #expect(!station.requirements.isEmpty && !station.instructions.isEmpty && !station.goals.isEmpty)
      for id in station.requirements { #expect(id.wholeMatch(of: /[A-H][1-9]/) != nil, "\(id)") }
    }
    var progress = TourProgress(stations)
    let products = [SampleCatalog.fiveCredits, SampleCatalog.sepia, SampleCatalog.smallPrint]
    for _ in 0..<10 {
      for device in ["phone", "tablet"] {
        for product in products {
          for each in PurchaseStep.allCases { progress.hear(step(each, product, on: device)) }
        }
      }
      progress.hear(.sold(quantity: 3))
      progress.hear(.refunded)
    }
    #expect(progress.current == nil)
  }
}
