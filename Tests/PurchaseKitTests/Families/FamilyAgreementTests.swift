import SharedFixtures
import StoreModel
import Testing

/// Plays random histories of several families, and compares what the store, a purchase server and the devices give to
/// each person after every event.
@Suite("Families: store, server and device agree", .timeLimit(.minutes(RandomSeeds.isLong ? 240 : 30)))
struct FamilyAgreementTests {
  @Test(
    "D1 A1 H1 H2 after every event, store, server and device give each person the same products until the same dates",
    arguments: RandomSeeds.first(2), FamilyWorld.Verification.allCases)
  func agreement(seed: UInt64, verification: FamilyWorld.Verification) async throws {
    let events = FamilyHistory.random(seed: seed, count: 35)
    func disagreement(_ events: [FamilyEvent]) async throws -> (count: Int, text: String)? {
      try await FamilyWorld(verification).firstDisagreement(in: events)
    }
    guard let first = try await disagreement(events) else { return }
    let shortest = try await FamilyHistory.shrunk(Array(events.prefix(first.count))) {
      try await disagreement($0) != nil
    }
    let text = try await disagreement(shortest)?.text ?? first.text
    Issue.record(
      """
      Seed \(seed), \(verification), after \(first.count) events: \(first.text)
      The shortest history, with \(text):
      \(shortest.map { "  \($0)" }.joined(separator: "\n"))
      """)
  }

  @Test("a history that fails is cut to the events that make it fail, in their order")
  func shrinking() async {
    let events = FamilyHistory.random(seed: 1, count: 60)
    // Stands for a disagreement that needs a family, a purchase after it and a refund after that.
    func fails(_ events: [FamilyEvent]) -> Bool {
      var step = 0
      for event in events {
        switch (step, event) {
        case (0, .moves(_, _?)), (1, .buys), (2, .refund): step += 1
        default: break
        }
      }
      return step == 3
    }
    #expect(fails(events))
    let shortest = await FamilyHistory.shrunk(events) { fails($0) }
    #expect(shortest.count == 3)
    #expect(fails(shortest))
    #expect(events.filter(Set(shortest).contains).count >= 3)
  }
}
