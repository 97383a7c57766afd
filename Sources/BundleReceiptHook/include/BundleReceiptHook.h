#ifndef BUNDLE_RECEIPT_HOOK_H
#define BUNDLE_RECEIPT_HOOK_H

/// How many slots of Foundation's Bundle were redirected at load time: 1 where the hook works.
int openstorekit_bundle_slots_redirected(void);

#endif
