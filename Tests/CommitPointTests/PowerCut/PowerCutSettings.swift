import Foundation

/// The settings of the preloaded library: when it cuts the power of a process, and which data are lost.
struct PowerCutSettings: Hashable, Sendable {
  enum Side: String, CaseIterable, Sendable { case before, after }

  enum Moment: Hashable, Sendable {
    /// Only when ``PowerCutProcess/cutPower()`` sends SIGUSR2.
    case onSignal
    /// Before or after the commit point with this number, from 1.
    case commitPoint(Int, Side)
    /// After the watched call with this number, from 1, and a delay.
    case watchedCall(Int, delayNanoseconds: Int)
    /// Never. The first data sent after the commit point with this number are lost, with their connection.
    case responseLost(afterCommitPoint: Int)
  }

  enum Loss: Hashable, Sendable {
    /// SIGKILL alone: the disk keeps its power. Unsynced changes can still be lost later.
    case nothing
    /// Every unsynced write, and every name whose folder was not synced.
    case everything
    /// Every unsynced write. Names stay, as on a journalling file system.
    case contents
    /// A random part of them, sector by sector.
    case some(seed: UInt64)
  }

  var moment: Moment
  var loss: Loss

  /// The power is cut only at the end of the run, and then all unsynced changes are lost.
  static let undisturbed = PowerCutSettings(moment: .onSignal, loss: .everything)

  /// The environment variables of the library. Tests/PowerCut/include/PowerCut.h describes them.
  var variables: [String: String] {
    var variables: [String: String]
    switch moment {
    case .onSignal: variables = [:]
    case .commitPoint(let number, let side):
      variables = ["POWERCUT_POINT": "\(number)", "POWERCUT_SIDE": side.rawValue]
    case .watchedCall(let number, let delay):
      variables = ["POWERCUT_CALL": "\(number)", "POWERCUT_DELAY_NANOSECONDS": "\(delay)"]
    case .responseLost(let number):
      variables = ["POWERCUT_DROPS_RESPONSE_AFTER": "\(number)"]
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

extension PowerCutSettings: CustomStringConvertible {
  var description: String {
    let lost =
      switch loss {
      case .nothing: "killed"
      case .everything: "power cut, everything unsynced lost"
      case .contents: "power cut, unsynced contents lost"
      case .some(let seed): "power cut, unsynced sectors lost by seed \(seed)"
      }
    return switch moment {
    case .onSignal: "undisturbed"
    case .commitPoint(let number, let side): "\(lost) \(side) commit point \(number)"
    case .watchedCall(let number, let delay): "\(lost) \(delay) ns after call \(number)"
    case .responseLost(let number): "its response after commit point \(number) is lost"
    }
  }
}
