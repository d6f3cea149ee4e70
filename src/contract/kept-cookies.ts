/** Cookies by which a visitor refused a vendor, as `name` or `prefix*`: deleting one would undo the refusal. */
export const KEPT_COOKIES: readonly string[] = [
  '__kla_off',
  'optimizelyOptOut',
  '_vis_opt_out',
  '_cs_optout',
  '__hs_opt_out',
  '__hs_do_not_track',
  'mtm_consent_removed',
  '__mp_opt_in_out_*',
  '__ph_opt_in_out_*',
]

/** The same in `localStorage`. */
export const KEPT_KEYS: readonly string[] = ['plausible_ignore', 'umami.disabled']
