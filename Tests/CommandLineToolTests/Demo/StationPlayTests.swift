import Foundation
import HTTPTransport
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The plays of the tour's stations", .timeLimit(.minutes(30)))
struct StationPlayTests {
  /// The state of a station on the demo's page.
  private struct Station: Hashable {
    let title: String
    let isDone: Bool
    let message: String?
  }

  @Test("each station that can be played meets all its goals, with the real store, server and devices")
  func goals() async throws {
    let program = try Program(arguments: ["demo", "--port", "0"], environment: [PlayerPace.variable: "0"])
    let ready = await program.output(until: "\n").trimmingPrefix("ready ").trimmingCharacters(in: .newlines)
    let demo = try #require(URL(string: ready), "\(program.standardError)")
    let stations = TourStation.all(first: DemoProcesses.devices[0], second: DemoProcesses.devices[1])
    for (number, station) in stations.enumerated() where station.play != nil {
      try await Self.send("play", ["station": "\(number)"], to: demo)
      #expect(try await Self.played(number, demo) == Station(title: station.title, isDone: true, message: nil))
    }
    program.terminate()
    #expect(try await program.finish().status == 0)
  }

  /// Waits until the demo's page shows that a play has ended, and that its station is done or has a message.
  private static func played(_ number: Int, _ demo: URL) async throws -> Station {
    let (pages, page) = AsyncStream.makeStream(of: String.self)
    let feed = EventFeed(address: demo.appending(path: "live"), logger: LogBook().logger)
    let listening = Task {
      page.yield(try await get(demo))
      await feed.listen { _ in if let text = try? await get(demo) { page.yield(text) } }
    }
    defer { listening.cancel() }
    for await text in pages {
      let button = try #require(text.firstMatch(of: /<button id="play-station"[^>]*>/), "No button plays the station.")
      if button.output.contains("aria-disabled") { continue }
      let items = text.components(separatedBy: "<li data-state=\"").dropFirst()
      let item = items[items.index(items.startIndex, offsetBy: number)]
      let message = text.firstMatch(of: /id="play-message"[^>]*>([^<]*)/).map { String($0.1) }
      let title = item.firstMatch(of: /id="station-\d+">([^<]*)/).map { String($0.1) } ?? ""
      // The store reports a sale or a refund after the play, by its own stream.
      guard item.hasPrefix("done") || message != nil else { continue }
      return Station(title: title, isDone: item.hasPrefix("done"), message: message)
    }
    throw DemoFailure("The demo's page has no more events.")
  }

  private static func get(_ address: URL) async throws -> String {
    String(decoding: try await SystemTransport().reply(to: HTTPCall("GET", address)).body, as: UTF8.self)
  }

  private static func send(_ path: String, _ fields: [String: String], to demo: URL) async throws {
    let form = fields.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    let reply = try await SystemTransport().reply(
      to: HTTPCall(
        "POST", demo.appending(path: path),
        fields: ["Content-Type": "application/x-www-form-urlencoded", "Origin": demo.absoluteString],
        body: Data(form.utf8)))
    #expect(reply.status < 400)
  }
}
