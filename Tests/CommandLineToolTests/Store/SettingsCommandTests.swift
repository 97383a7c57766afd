import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit settings", .timeLimit(.minutes(30)))
struct SettingsCommandTests {
  @Test("A4 shows the settings, changes the given ones, and gives the locale back to the storefronts")
  func change() async throws {
    try await RunningStore.open { store in
      let initial = [
        "locale            of each storefront", "documented 21003  off", "lenient base64    off",
        "rate limits       off",
      ]
      #expect(try await store.run("settings").lines == initial)
      #expect(
        try await store.run("settings", "set", "--locale", "de-DE", "--documented-21003", "on").lines
          == ["locale            de_DE", "documented 21003  on", "lenient base64    off", "rate limits       off"])
      let run = try await store.run("settings", "set", "--lenient-base64", "on", "--json")
      #expect(run.json?["locale"] as? String == "de_DE" && run.json?["lenientBase64"] as? Bool == true)
      #expect(
        try await store.store.settings()
          == StoreSettings(locale: "de_DE", documented21003: true, lenientBase64: true))
      _ = try await store.run(
        "settings", "set", "--locale", "storefront", "--documented-21003", "off", "--lenient-base64", "off")
      #expect(try await store.run("settings", "show").lines == initial)
      let refused = try await store.run("settings", "set", "--locale", "Klingon")
      #expect(refused.status == 1 && refused.messages.contains("Klingon is not a locale"))
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [["set"], ["set", "--locale", ""], ["set", "--documented-21003", "yes"], ["change"]])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(["settings"] + arguments).status == 2)
  }
}
