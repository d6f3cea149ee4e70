import { TEST_FRAGMENT } from '#contract/tag-test.ts'
import { startConsent } from '../consent/consent.ts'
import { adoptStyle, appendLink, readTagSet, whenIdle } from '../shared/page.ts'
import { createTagStarter } from '../tags/start-tags.ts'
import { followCurrentSection, followHeaderState, wireMenu } from './header.ts'
import { loadIslands, wireIslands } from './islands.ts'

/** Written by `pages/document.tsx` at the end of the page. */
const page = document.querySelector<HTMLTemplateElement>('template[data-icon]')

adoptStyle(page?.content.textContent ?? '')

followHeaderState()

followCurrentSection()

wireMenu()

const CAMPAIGN = /^(utm_\w+|gclid|fbclid|ttclid|msclkid)$/

carryCampaign()

wireIslands()

renderSectionsWhenIdle()

startHeroAnimation()

// Here and not in the page: browsers fetch it at once, and nobody waits for it.
appendLink('manifest', '/site.webmanifest')

// The policy lets pictures come from the assets only, so what a browser looks for by itself is not shown in every one.
appendLink('icon', page?.dataset.icon ?? '')

const tagSet = readTagSet(async () => (await import('../tags/run-tags.ts')).deleteLeftovers())

// An administrator's test asks by itself; nobody else loads this.
if (location.hash.startsWith(TEST_FRAGMENT))
  void import('../test-visit/test-visit.ts').then((part) => part.openTest(loadIslands))
else startConsent(tagSet, loadIslands, createTagStarter(tagSet))

/** Hands the campaign of this visit on to the links that leave for the app, so that a registration can be attributed. Nothing is stored. */
function carryCampaign(): void {
  const campaign = [...new URLSearchParams(location.search)].filter(([name]) => CAMPAIGN.test(name))
  if (campaign.length === 0) return
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-app]')) {
    const url = new URL(link.href)
    for (const [name, value] of campaign) url.searchParams.set(name, value)
    link.href = url.href
  }
}

/**
 * Lays out the sections below the first screen (class `later`), one per idle moment, so that no task is long. The first
 * layout leaves them out.
 */
function renderSectionsWhenIdle(): void {
  const section = document.querySelector('.later')
  if (section === null) return
  whenIdle(() => {
    section.classList.remove('later')
    renderSectionsWhenIdle()
  })
}

/** Starts the hero's animation. Without it the first frames cost less; where there are no scripts it never starts. */
function startHeroAnimation(): void {
  whenIdle(() => {
    document.querySelector('.art')?.classList.add('live')
  })
}
