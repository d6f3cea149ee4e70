import type { NameRule } from './vendor.ts'

/** Marks by which a visitor refused a vendor: deleting one would undo the refusal. */
export const KEPT_MARKS: readonly NameRule[] = [
  { exact: '__kla_off' },
  { exact: 'optimizelyOptOut' },
  { exact: '_vis_opt_out' },
  { exact: '_cs_optout' },
  { exact: '__hs_opt_out' },
  { exact: '__hs_do_not_track' },
  { exact: 'mtm_consent_removed' },
  { prefix: '__mp_opt_in_out_', sample: '__mp_opt_in_out_1' },
  { prefix: '__ph_opt_in_out_', sample: '__ph_opt_in_out_1' },
]
