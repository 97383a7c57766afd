import Foundation
import StoreModel

/// A request to the store. Implements Apple's `SKRequest`.
///
/// It stays alive while it runs. Its delegate is called on the main queue.
open class SKRequest: NSObject {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var run = 0
  }

  private let state = LockedValue(State())

  // Disfavoured, so that SKProductsRequest's, which shares its storage and name, is meant where both could be.
  @_disfavoredOverload open weak var delegate: (any SKRequestDelegate)?

  public override init() { super.init() }

  /// Sends the request. Does nothing while it is under way.
  open func start() {
    state.withLock { state in
      guard state.task == nil else { return }
      state.run += 1
      state.task = makeTask(run: state.run)
    }
  }

  /// Ends the request. Its delegate is not called any more.
  open func cancel() {
    state.withLock { state in
      state.task?.cancel()
      state.task = nil
    }
  }

  /// The work of the request, which reports through ``conclude(run:_:)``.
  func makeTask(run: Int) -> Task<Void, Never> { Task {} }

  /// Calls `report` on the main queue, unless the request was cancelled meanwhile, or cancelled and started again.
  func conclude(run: Int, _ report: @escaping () -> Void) {
    // Only the delegate's queue touches the delegate and the request from here on.
    nonisolated(unsafe) let report = report
    nonisolated(unsafe) let request = self
    DispatchQueue.main.async {
      let isCurrent = request.state.withLock { state in
        guard state.run == run, state.task != nil else { return false }
        state.task = nil
        return true
      }
      if isCurrent { report() }
    }
  }
}

/// Told how a request ended. Implements Apple's `SKRequestDelegate`.
public protocol SKRequestDelegate: NSObjectProtocol {
  func requestDidFinish(_ request: SKRequest)
  func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
  public func requestDidFinish(_ request: SKRequest) {}
  public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
