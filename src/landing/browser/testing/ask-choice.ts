import type { ConsentCategory } from '#contract/consent.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import consentStyle from '../consent/consent.css?inline'
import { findBanner, showBanner } from '../consent/show-banner.ts'
import type { LoadPreferences } from '../consent/wire-consent.ts'
import { adoptStyle } from '../shared/adopt-style.ts'

/** Shows the banner as to anybody. The choice is for this page alone: it is neither stored nor recorded. */
export function askChoice(
  category: ConsentCategory,
  loadPreferences: LoadPreferences,
): Promise<ConsentCategory[]> {
  adoptStyle(consentStyle)
  const banner = findBanner()
  showBanner()
  return new Promise((resolve) => {
    const choose = (granted: ConsentCategory[]) => {
      if (banner !== null) banner.hidden = true
      resolve(granted)
    }
    banner?.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLElement>('[data-consent]')
      const action = button?.dataset.consent
      if (action === 'accept_all') choose([...OPTIONAL_CATEGORIES])
      if (action === 'reject') choose([])
      if (action === 'choose' && button)
        void loadPreferences().then((part) =>
          part.openPreferences({ granted: [], inUse: [category], opener: button, choose }),
        )
    })
  })
}
