import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit faults", .timeLimit(.minutes(30)))
struct FaultsCommandTests {
  /// Arguments that set a fault of each kind: the kinds with options of their own, and the examples of the others.
  private static let kinds: [String: [String]] = {
    let withOptions = [
      "appError": ["--error", "SKErrorDomain:2", "--message", "No", "--underlying-error", "AMSErrorDomain:6"],
      "slowAnswer": ["--delay", "1500ms"], "outage": ["--appearance", "unreachable"],
      "receiptStatus": ["--status", "21100", "--no-retryable"], "receiptServerError": ["--http-status", "503"],
      "expiredCertificate": ["--member", "when=notYetValid"],
    ]
    let others = FaultKinds.all.filter { withOptions[$0.name] == nil }.map { kind in
      (kind.name, kind.members.filter(\.isRequired).flatMap { ["--member", "\($0.name)=\(example(of: $0))"] })
    }
    return withOptions.merging(others) { own, _ in own }
  }()

  private static func example(of member: FaultMember) -> String {
    if case .milliseconds = member.value { "1500" } else { member.example ?? "" }
  }

  @Test("every kind of fault can be set, with the same result as with the control API")
  func kinds() async throws {
    #expect(Set(Self.kinds.keys) == Set(FaultKinds.all.map { $0.name }))
    let explained = FaultArguments.kindsText.split(separator: "\n").compactMap { $0.split(separator: ":").first }
    #expect(explained.map(String.init) == FaultKinds.all.map { $0.name })
    try await RunningStore.open { store in
      for (kind, arguments) in Self.kinds.sorted(by: { $0.key < $1.key }) {
        let run = try await RunningStore.run(
          ["faults", "set", kind, "--id", "of \(kind)", "--store", store.address] + arguments)
        #expect(run.status == 0, "\(kind): \(run.messages)")
        #expect(run.output.contains(kind))
      }
      func fault(_ kind: String) throws -> any FaultKind { try store.store.fault(FaultID("of \(kind)")).fault.kind }
      #expect(try fault("slowAnswer") as? SlowAnswerFault == SlowAnswerFault(milliseconds: 1_500))
      #expect(try fault("outage") as? OutageFault == OutageFault(.unreachable))
      let error = try #require(try fault("appError") as? AppErrorFault).error
      #expect((error.domain, error.code, error.message) == ("SKErrorDomain", 2, "No"))
      #expect(error.underlying == AppError.Underlying(domain: "AMSErrorDomain", code: 6))
      let list = try await store.run("faults")
      #expect(list.lines.count > Self.kinds.count)
      #expect(try await store.run("faults", "list", "--json").json?["faults"] as? [Any] != nil)
    }
  }

  @Test("every scope, count and duration reaches the store")
  func scope() async throws {
    try await RunningStore.open { store in
      let run = try await store.run(
        "faults", "set", "noAnswer", "--call", "confirm", "--call", "quote", "--environment", "sandbox", "--customer",
        "ada",
        "--bundle-id", "b", "--product", "p", "--installation", "i", "--count", "2", "--probability", "0.5", "--seed",
        "7", "--duration", "1h")
      #expect(run.status == 0, "\(run.messages)")
      let warning = "There is no product p here yet."
      #expect(run.messages.contains(warning))
      #expect(try await store.run("faults").messages.contains("fault-1: \(warning)"))
      let document = try await store.run("faults", "list", "--json")
      let listed = (document.json?["faults"] as? [[String: Any]])?.first?["warnings"] as? [String]
      #expect(listed?.count == 4 && document.messages.isEmpty)
      let fault = try #require(store.store.faults().first).fault
      #expect(
        fault.scope
          == FaultScope(
            calls: [.device(.confirm), .device(.quote)], environment: .sandbox, customer: "ada", bundleID: "b",
            productID: "p", installationID: "i"))
      #expect((fault.count, fault.probability, fault.seed, fault.durationSeconds) == (2, 0.5, 7, 3_600))
      #expect(run.output.contains("chance 0.5") && run.output.contains("2026-07-01 13:00:00Z"))
    }
  }

  @Test("a fault is shown, released and removed, and all faults are cleared; an unknown fault is exit status 1")
  func lifecycle() async throws {
    try await RunningStore.open { store in
      #expect(try await store.run("faults").messages == "No faults.\n")
      for id in ["a/b ?", "c"] { _ = try await store.run("faults", "set", "heldSheet", "--id", id) }
      #expect(try await store.run("faults", "show", "a/b ?").output.contains("a/b ?"))
      #expect(try await store.run("faults", "release", "a/b ?").lines == ["0 released"])
      #expect(try await store.run("faults", "remove", "a/b ?").lines == ["a/b ?: removed"])
      #expect(try await store.run("faults", "remove", "a/b ?").status == 1)
      #expect(try await store.run("faults", "clear").lines == ["1 removed"])
      #expect(store.store.faults().isEmpty)
      let impossible = try await store.run("faults", "set", "declinedCard", "--call", "signIn")
      #expect(impossible.status == 1 && impossible.messages.contains("declinedCard cannot strike signIn"))
    }
  }

  @Test(
    "wrong usage is exit status 2, with a message that lists the allowed values",
    arguments: [
      ["set"], ["set", "gone"], ["set", "noAnswer", "--call", "buy"], ["set", "appError", "--error", "SKErrorDomain"],
      ["set", "appError", "--error", ":2"], ["set", "slowAnswer", "--delay", "2"],
      ["set", "outage", "--duration", "1ms"],
      ["set", "appError", "--message", "x"], ["show"], ["remove"],
      ["set", "appError"], ["set", "slowAnswer"], ["set", "receiptStatus"],
      ["set", "receiptServerError"], ["show", ""], ["release", ""],
      ["remove", ""],
    ])
  func usage(arguments: [String]) async throws {
    let run = try await RunningStore.run(["faults"] + arguments)
    #expect(run.status == 2, "\(run)")
    #expect(!run.messages.isEmpty)
  }
}
