import type { ConsentCategory } from '#contract/consent.ts'
import type { TagSet } from '../shared/tag-set.ts'
import { denyGoogleByDefault, updateGoogleConsent } from './google-consent.ts'
import { readGranted } from './read-granted.ts'
import { showBanner } from './show-banner.ts'
import { type LoadPreferences, wireConsent } from './wire-consent.ts'

/**
 * Nothing of a vendor runs before the choice. `onGranted` is called with what was agreed to, on an earlier visit or
 * now.
 */
export function startConsent(
  tagSet: TagSet,
  loadPreferences: LoadPreferences,
  onGranted: (granted: readonly ConsentCategory[]) => void,
): void {
  if (tagSet.version === '') {
    wireConsent(tagSet, loadPreferences, () => {})
    return
  }
  denyGoogleByDefault()
  const grant = (granted: readonly ConsentCategory[]) => {
    updateGoogleConsent(granted)
    onGranted(granted)
  }
  wireConsent(tagSet, loadPreferences, grant)
  const granted = readGranted(tagSet)
  if (granted === null) showBanner()
  else grant(granted)
}
