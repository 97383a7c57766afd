import ControlAPI
import Foundation
import StoreModel

/// A part of the demo's script, which makes purchases and checks their results step by step.
class ScriptPart {
  let environment: ScriptEnvironment
  let store: ControlAPIClient
  private let reporter: ScriptReporter

  init(environment: ScriptEnvironment, store: ControlAPIClient, reporter: ScriptReporter) {
    self.environment = environment
    self.store = store
    self.reporter = reporter
  }

  func beginChapter(_ title: String) { reporter.beginChapter(title) }

  func explain(_ text: String) { reporter.explain(text) }

  func check(_ description: String, _ holds: Bool) { reporter.check(description, holds) }

  func money(_ milliunits: Int64) -> String {
    Price(amount: Milliunits(milliunits), currency: "USD").formatted(locale: Locale(identifier: "en_US"))
  }
}
