extension ServerAPI {
  /// All calls. ``ServerAPICall`` describes how to add one.
  public static let calls: [any ServerAPICall.Type] = [
    GetTransactionInfo.self, GetTransactionHistory.self, GetTransactionHistoryV1.self, GetAllSubscriptionStatuses.self,
    GetAppTransactionInfo.self, FinishTransaction.self, LookUpOrderID.self, GetRefundHistory.self,
    GetRefundHistoryV1.self, SendConsumptionInformation.self, SendConsumptionInformationV1.self,
    SetAppAccountToken.self, ExtendSubscriptionRenewalDate.self, ExtendRenewalDatesForAllActiveSubscribers.self,
    GetStatusOfRenewalDateExtensions.self, GetNotificationHistory.self, RequestTestNotification.self,
    GetTestNotificationStatus.self,
  ]
}
