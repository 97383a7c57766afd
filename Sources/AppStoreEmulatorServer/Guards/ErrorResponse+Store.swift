import HTTPTypes
import StoreModel
import WebSupport

extension ErrorResponse {
  /// What the store refuses, with the error that the app is to see.
  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.init(status, body: DeviceAPI.Refused(error: refusal))
  }
}
