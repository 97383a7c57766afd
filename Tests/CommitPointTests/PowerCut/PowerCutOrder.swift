import Foundation

/// When a party's power is cut, and what is lost with it: what the preloaded library is told.
struct PowerCutOrder: Hashable, Sendable {
  enum Side: String, CaseIterable, Sendable { case before, after }

  enum Moment: Hashable, Sendable {
    /// Only by ``PartyProcess/cutPower()``.
    case whenAsked
    /// At the commit point of this number, from 1.
    case commitPoint(Int, Side)
    /// So long after the watched call of this number, from 1.
    case beat(Int, delayNanoseconds: Int)
    /// Not at all; but what is first sent after the commit point of this number is lost, with its connection.
    case answerLost(afterCommitPoint: Int)
  }

  enum Loss: Hashable, Sendable {
    /// SIGKILL alone: the process is gone, the disk is not. What it had not synced can still be lost later.
    case nothing
    /// Every write that was not synced, every name whose folder was not.
    case everything
    /// Every write that was not synced; names stay, as on a file system that writes its own journal first.
    case contents
    /// Any of them, sector by sector.
    case some(seed: UInt64)
  }

  var moment: Moment
  var loss: Loss

  /// A process nobody cuts before its play is over, and that then loses all it has not synced.
  static let undisturbed = PowerCutOrder(moment: .whenAsked, loss: .everything)

  /// The library's variables; they are described in Tests/PowerCut/include/PowerCut.h.
  var variables: [String: String] {
    var variables: [String: String]
    switch moment {
    case .whenAsked: variables = [:]
    case .commitPoint(let number, let side):
      variables = ["POWERCUT_POINT": "\(number)", "POWERCUT_SIDE": side.rawValue]
    case .beat(let number, let delay):
      variables = ["POWERCUT_BEAT": "\(number)", "POWERCUT_DELAY_NANOSECONDS": "\(delay)"]
    case .answerLost(let number):
      variables = ["POWERCUT_DROPS_ANSWER_AFTER": "\(number)"]
    }
    variables["POWERCUT_LOSES"] =
      switch loss {
      case .nothing: "nothing"
      case .everything: "everything"
      case .contents: "contents"
      case .some(let seed): "some:\(seed)"
      }
    return variables
  }
}

extension PowerCutOrder: CustomStringConvertible {
  var description: String {
    let lost =
      switch loss {
      case .nothing: "killed"
      case .everything: "power cut, everything unsynced lost"
      case .contents: "power cut, unsynced contents lost"
      case .some(let seed): "power cut, unsynced sectors lost by seed \(seed)"
      }
    return switch moment {
    case .whenAsked: "undisturbed"
    case .commitPoint(let number, let side): "\(lost) \(side) commit point \(number)"
    case .beat(let number, let delay): "\(lost) \(delay) ns after call \(number)"
    case .answerLost(let number): "its answer after commit point \(number) is lost"
    }
  }
}
