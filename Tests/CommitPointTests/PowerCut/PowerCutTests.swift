import Foundation
import Testing

extension CommitPointTests {
  @Suite("the power cut itself", .timeLimit(.minutes(30)))
  struct ThePowerCut {
    /// The commands of a program, the loss, and the content of the files `a` and `b` after the power cut.
    struct Case: Sendable, CustomTestStringConvertible {
      let commands: String
      let loss: PowerCutSettings.Loss
      let a: String?
      let b: String?
      var testDescription: String { "\(commands): \(loss)" }
    }

    static let cases = [
      Case(commands: "write @a 0 old sync @a sync @ write @a 0 new", loss: .everything, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ write @a 0 new", loss: .contents, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ write @a 0 new", loss: .nothing, a: "new", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ write @a 0 new sync @a", loss: .everything, a: "new", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ write @a 2 longer", loss: .everything, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ cut @a 1", loss: .everything, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a", loss: .everything, a: nil, b: nil),
      Case(commands: "write @a 0 old sync @a", loss: .contents, a: "old", b: nil),
      Case(commands: "write @a 0 old", loss: .contents, a: "", b: nil),
      Case(commands: "write @a 0 old sync @", loss: .everything, a: "", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ rename @a @b", loss: .everything, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ rename @a @b", loss: .contents, a: nil, b: "old"),
      Case(commands: "write @a 0 old sync @a sync @ rename @a @b sync @", loss: .everything, a: nil, b: "old"),
      Case(
        commands: "write @a 0 new sync @a write @b 0 old sync @b sync @ rename @a @b", loss: .everything, a: "new",
        b: "old"),
      Case(commands: "write @a 0 old sync @a sync @ unlink @a", loss: .everything, a: "old", b: nil),
      Case(commands: "write @a 0 old sync @a sync @ unlink @a sync @", loss: .everything, a: nil, b: nil),
      Case(commands: "write @a 0 old sync @a sync @ unlink @a write @a 0 new", loss: .everything, a: "old", b: nil),
      Case(
        commands: "write @a 0 old sync @a sync @ write @a 0 1st write @a 1 2nd", loss: .everything, a: "old", b: nil),
    ]

    @Test("a power cut loses exactly the unsynced changes", arguments: cases)
    func lost(_ example: Case) async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let run = try await specimen.run(example.commands, PowerCutSettings(moment: .onSignal, loss: example.loss))
      #expect(run.end == .signal(SIGKILL))
      #expect(run.trace.unseen.isEmpty)
      #expect(specimen.content("a") == example.a)
      #expect(specimen.content("b") == example.b)
    }

    @Test("a power cut loses a folder with all its files if the folder's own name was not synced")
    func folder() async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let commands = "folder @f write @f/a 0 old sync @f/a sync @f"
      _ = try await specimen.run(commands)
      #expect(!FileManager.default.fileExists(atPath: specimen.disk.appending(path: "f").path))
      _ = try await specimen.run("\(commands) sync @")
      #expect(specimen.content("f/a") == "old")
    }

    @Test("a power cut of the next process loses the unsynced changes of a killed process")
    func unsynced() async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let killed = PowerCutSettings(moment: .onSignal, loss: .nothing)
      let first = try await specimen.run(
        "write @a 0 old sync @a sync @ write @a 0 new write @b 0 new sync @b", killed)
      let second = try await specimen.run("read @a read @b", killed, after: first.unsynced)
      #expect(second.lines.map { $0.split(separator: " ").last } == ["new", "new"])
      _ = try await specimen.run("read @a", after: second.unsynced)
      #expect(specimen.content("a") == "old")
      #expect(specimen.content("b") == nil)
    }

    @Test("the next process can sync the unsynced changes of a killed process")
    func nextProcessSyncs() async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let first = try await specimen.run(
        "write @a 0 old sync @a sync @ write @a 0 new write @b 0 new sync @b",
        PowerCutSettings(moment: .onSignal, loss: .nothing))
      _ = try await specimen.run("sync @a sync @", after: first.unsynced)
      #expect(specimen.content("a") == "new")
      #expect(specimen.content("b") == "new")
    }

    @Test("some sectors are lost and others not, the same for the same seed")
    func sectors() async throws {
      let size = 512
      let old = String(repeating: "o", count: 3 * size)
      let new = String(repeating: "n", count: 3 * size)
      var results: [String] = []
      for seed: UInt64 in [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8] {
        let specimen = try Specimen()
        defer { specimen.remove() }
        _ = try await specimen.run(
          "write @a 0 \(old) sync @a sync @ write @a 0 \(new)",
          PowerCutSettings(moment: .onSignal, loss: .some(seed: seed)))
        let content = Array(try #require(specimen.content("a")))
        let sectors = (0..<3).map { String(content[$0 * size..<($0 + 1) * size]) }
        for sector in sectors { #expect(Set(sector).count == 1) }
        results.append(String(sectors.compactMap(\.first)))
      }
      #expect(Array(results[..<8]) == Array(results[8...]))
      #expect(results.contains { Set($0).count == 2 }, "torn at least once: \(results)")
    }

    @Test("the cut comes before or after the chosen commit point, and all commit points are found")
    func commitPoints() async throws {
      let commands = "write @a 0 1 sync @a write @a 0 2 rename @a @b write @b 0 3 sync @ unlink @b"
      let specimen = try Specimen()
      defer { specimen.remove() }
      let all = try await specimen.run(commands)
      #expect(all.trace.commitPoints.map(\.kind) == ["fsync", "rename", "fsync", "unlink"])
      #expect(
        all.trace.commitPoints.map { $0.path.split(separator: "/").last.map(String.init) } == ["a", "b", "disk", "b"])
      let contents = [nil, "1", "2", nil, "3", nil]
      for (index, point) in [(1, "before"), (1, "after"), (2, "before"), (2, "after"), (4, "before"), (4, "after")]
        .enumerated()
      {
        let specimen = try Specimen()
        defer { specimen.remove() }
        let side = try #require(PowerCutSettings.Side(rawValue: point.1))
        let run = try await specimen.run(
          commands, PowerCutSettings(moment: .commitPoint(point.0, side), loss: .nothing))
        #expect(run.trace.commitPoints.count == point.0)
        // Before the first sync there is the unsynced 1; after the rename a is called b.
        #expect(specimen.content("a") == (index == 0 ? "1" : contents[index == 4 ? 3 : index]))
        #expect(specimen.content("b") == [nil, nil, nil, "2", "3", nil][index])
      }
    }

    @Test("the cut comes after the chosen watched call")
    func watchedCalls() async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let run = try await specimen.run(
        "write @a 0 1 write @a 0 2 write @a 0 3",
        PowerCutSettings(moment: .watchedCall(4, delayNanoseconds: 0), loss: .nothing))
      // Each command opens the file and writes to it. The cut comes before the call.
      #expect(run.end == .signal(SIGKILL))
      #expect(specimen.content("a") == "1")
    }

    @Test("a file that was changed in an unwatched way is detected")
    func unseen() async throws {
      let specimen = try Specimen()
      defer { specimen.remove() }
      let run = try await specimen.run("write @a 0 1 behind @b secret")
      #expect(run.trace.unseen == ["b"])
    }
  }
}
