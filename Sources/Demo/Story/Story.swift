import ControlAPI
import Foundation
import StoreModel

/// A part of the demo's script, which plays purchases and checks their results step by step.
class Story {
  let stage: DemoStage
  let store: ControlAPIClient
  private let reporter: ScriptReporter

  init(stage: DemoStage, store: ControlAPIClient, reporter: ScriptReporter) {
    self.stage = stage
    self.store = store
    self.reporter = reporter
  }

  func open(_ title: String) { reporter.open(title) }

  func say(_ text: String) { reporter.say(text) }

  func check(_ statement: String, _ holds: Bool) { reporter.check(statement, holds) }

  func money(_ milliunits: Int64) -> String {
    Price(amount: Milliunits(milliunits), currency: "USD").formatted(locale: Locale(identifier: "en_US"))
  }
}
