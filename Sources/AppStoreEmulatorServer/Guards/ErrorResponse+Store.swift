import HTTPTypes
import StoreModel
import WebSupport

extension ErrorResponse {
  /// A refusal of the store, with the error for the app.
  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.init(status, body: DeviceAPI.Refused(error: refusal))
  }
}
