import StoreModel
import WebSupport

@testable import PurchaseServer

/// A resolver whose answers the test chooses: those of the list, in order, and then the last one.
final class ScriptedResolver: HostResolver {
  private struct State: Sendable {
    var answers: [[String]]
    var asked: [String] = []
  }

  private let state: LockedValue<State>

  /// - Parameter answers: lists of addresses. An empty one means that the host has none.
  init(_ answers: [String]...) { state = LockedValue(State(answers: answers)) }

  /// The hosts that were resolved so far.
  var asked: [String] { state.withLock { $0.asked } }

  func addresses(of host: String) async throws -> [NetworkAddress] {
    state.withLock { state in
      state.asked.append(host)
      let answer = state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? []
      return answer.compactMap(NetworkAddress.init)
    }
  }
}
