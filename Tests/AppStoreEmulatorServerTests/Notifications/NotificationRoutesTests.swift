import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@Suite("Notifications at the control API", .timeLimit(.minutes(30)))
struct NotificationRoutesTests {
  @Test("addresses are set and read, listed notifications are shown with their contents, sent again, held and settled")
  func notifications() async throws {
    let bakery = try await BakeryServer()
    let received = LockedValue(0)
    bakery.store.deliverNotifications(
      over: NotificationFunction { _ in
        received.withLock { $0 += 1 }
        return 200
      })
    try await bakery.withClient { client async throws in
      let path = "/control/v1/apps/\(BakeryServer.app)/notificationURLs"
      #expect(try await client.get(path).object.keys.sorted() == ["production", "sandbox"])
      #expect(
        try await client.send(.put, path, #"{"production":null,"sandbox":"ftp://a"}"#).code == "invalidNotificationURL")
      let set = try await client.send(.put, path, #"{"production":null,"sandbox":"http://server.example/a"}"#)
      #expect(set.object["sandbox"] as? String == "http://server.example/a")
      #expect(set.object["production"] is NSNull)
      #expect(try await client.get(path).object["sandbox"] as? String == "http://server.example/a")
      #expect(try await client.get("/control/v1/apps/none/notificationURLs").code == "unknownApp")

      let policy = "/control/v1/notifications/policy"
      #expect(try await client.send(.patch, policy, #"{"hold":true}"#).object["hold"] as? Bool == true)
      _ = try await bakery.store.purchase(BakeryServer.loaf, of: BakeryServer.app, for: "customer", in: .sandbox)
      let held = try await client.post("/control/v1/notifications/settle", "{}").object
      #expect(held["held"] as? Int == 1 && held["sent"] as? Int == 0)
      #expect(try await client.send(.patch, policy, #"{"hold":false}"#).object["drop"] as? Bool == false)
      let settled = try await client.post("/control/v1/notifications/settle", #"{"timeoutMilliseconds":20000}"#).object
      #expect(settled["sent"] as? Int == 1 && settled["failed"] as? Int == 0)

      let list = try await client.get("/control/v1/notifications?type=ONE_TIME_CHARGE&environment=sandbox")
      let listed = try #require(list.list("notifications").first)
      let uuid = try #require(listed["uuid"] as? String)
      #expect(listed["state"] as? String == "sent")
      let details = try await client.get("/control/v1/notifications/\(uuid)").object
      #expect((details["payload"] as? [String: Any])?["notificationUUID"] as? String == uuid)
      #expect((details["transactionInfo"] as? [String: Any])?["productId"] as? String == BakeryServer.loaf.rawValue)
      #expect((details["signedPayload"] as? String)?.split(separator: ".").count == 3)
      #expect(try await client.post("/control/v1/notifications/\(uuid)/resend", "{}").status == 200)
      #expect(try await client.post("/control/v1/notifications/none/resend", "{}").code == "unknownNotification")
      let sent = try await client.post(
        "/control/v1/notifications",
        #"{"bundleId":"\#(BakeryServer.app)","environment":"Sandbox","type":"TEST"}"#)
      #expect(sent.status == 201)
      _ = try await client.post("/control/v1/notifications/settle", "{}")
      #expect(received.value == 3)
      #expect(
        try await client.post(
          "/control/v1/notifications",
          #"{"bundleId":"\#(BakeryServer.app)","environment":"Production","type":"TEST"}"#
        ).code == "noNotificationURL")
      #expect(
        try await client.post(
          "/control/v1/notifications",
          #"{"bundleId":"\#(BakeryServer.app)","environment":"Sandbox","type":"REFUND","subtype":"UPGRADE"}"#
        ).code == "impossibleNotification")
    }
  }
}
