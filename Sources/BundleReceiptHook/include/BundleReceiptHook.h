#ifndef BUNDLE_RECEIPT_HOOK_H
#define BUNDLE_RECEIPT_HOOK_H

/// The number of slots of Foundation's Bundle that were redirected at load time: 1 if the hook works, otherwise 0.
int openstorekit_bundle_slots_redirected(void);

#endif
