import Foundation
import StoreModel

/// A request to the store. Implements Apple's `SKRequest`.
///
/// It is retained while it runs. Its delegate is called on the main queue.
open class SKRequest: NSObject {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var run = 0
  }

  private let state = LockedValue(State())

  // Disfavoured, so that the compiler prefers the property of SKProductsRequest, which has the same name and storage.
  @_disfavoredOverload open weak var delegate: (any SKRequestDelegate)?

  public override init() { super.init() }

  /// Sends the request. Has no effect while it runs.
  open func start() {
    state.withLock { state in
      guard state.task == nil else { return }
      state.run += 1
      state.task = makeTask(run: state.run)
    }
  }

  /// Cancels the request. Its delegate is not called any more.
  open func cancel() {
    state.withLock { state in
      state.task?.cancel()
      state.task = nil
    }
  }

  /// Performs the request. The result is reported through ``conclude(run:_:)``.
  func makeTask(run: Int) -> Task<Void, Never> { Task {} }

  /// Calls `report` on the main queue, in the scope of the caller. Does nothing if this run was cancelled, even if the request was started again.
  func conclude(run: Int, _ report: @escaping () -> Void) {
    // From here on, only the main queue accesses the delegate and the request.
    nonisolated(unsafe) let report = report
    nonisolated(unsafe) let request = self
    let scope = DeviceScope.isolated
    DispatchQueue.main.async {
      let isCurrent = request.state.withLock { state in
        guard state.run == run, state.task != nil else { return false }
        state.task = nil
        return true
      }
      if isCurrent { DeviceScope.run(in: scope, report) }
    }
  }
}

/// Receives the end of a request. Implements Apple's `SKRequestDelegate`.
public protocol SKRequestDelegate: NSObjectProtocol {
  func requestDidFinish(_ request: SKRequest)
  func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
  public func requestDidFinish(_ request: SKRequest) {}
  public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

extension SKRequestDelegate {
  @_disfavoredOverload public var requestDidFinish: ((SKRequest) -> Void)? { { self.requestDidFinish($0) } }

  /// The optional method `request(_:didFailWithError:)` as an optional value, for calls with `?` and `!`.
  @_disfavoredOverload public var request: SKRequest.OptionalDelegateMethods? {
    SKRequest.OptionalDelegateMethods(delegate: self)
  }
}

extension SKRequest {
  /// The methods for `delegate.request?(…)`. Not part of Apple's API.
  public struct OptionalDelegateMethods {
    let delegate: any SKRequestDelegate

    public func callAsFunction(_ request: SKRequest, didFailWithError error: any Error) {
      delegate.request(request, didFailWithError: error)
    }
  }
}
