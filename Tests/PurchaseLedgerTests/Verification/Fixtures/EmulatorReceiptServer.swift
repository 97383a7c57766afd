import AppStoreEmulator
import Foundation
import StoreModel

@testable import PurchaseLedger

/// The emulator's `verifyReceipt`, in this process.
struct EmulatorReceiptServer: ReceiptServer {
  let store: EmulatedAppStore

  static var policy: VerifyReceiptPolicy {
    VerifyReceiptPolicy(
      productionURL: ScriptedReceiptServer.production, sandboxURL: ScriptedReceiptServer.sandbox)
  }

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let endpoint: StoreEnvironment = url == ScriptedReceiptServer.production ? .production : .sandbox
    do {
      return ReceiptServerReply(
        httpStatus: 200, body: try await store.verifyReceipt(body, at: endpoint).body)
    } catch let failure as VerifyReceiptServerError {
      return ReceiptServerReply(httpStatus: failure.httpStatus, body: Data())
    } catch StoreConnectionFailure.noAnswer {
      throw .timeout
    } catch {
      throw .noConnection(detail: "\(error)")
    }
  }
}
