import Foundation

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
