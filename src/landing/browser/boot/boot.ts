import { TEST_FRAGMENT } from '#contract/tag-test.ts'
import { startConsent } from '../consent/consent.ts'
import { appendLink, attempt, readTagSet, whenIdle } from '../shared/page.ts'
import { createTagStarter } from '../tags/start-tags.ts'
import { countVisit } from './count-visit.ts'
import { followCurrentSection, followHeaderState, wireMenu } from './header.ts'
import { loadIslands, wireIslands } from './islands.ts'

/** What the page does, one step at a time: each works without the others. */
const STEPS = [
  followHeaderState,
  followCurrentSection,
  wireMenu,
  carryCampaign,
  wireIslands,
  renderSectionsWhenIdle,
  startHeroAnimation,
  addLinks,
  startTags,
]

STEPS.forEach(attempt)

/** Added here and not in the page, because browsers would fetch both at once. */
function addLinks(): void {
  appendLink('manifest', '/site.webmanifest')
  // The policy only allows images below /assets/, so the browser's default icon is not shown everywhere.
  appendLink('icon', document.querySelector<SVGElement>('[data-icon]')?.dataset.icon ?? '')
}

function startTags(): void {
  const tagSet = readTagSet(async () => (await import('../tags/run-tags.ts')).deleteLeftovers())
  // Only an administrator's test visit loads this.
  if (location.hash.startsWith(TEST_FRAGMENT))
    void import('../test-visit/test-visit.ts').then((part) => part.openTest(loadIslands))
  else {
    attempt(countVisit)
    startConsent(tagSet, loadIslands, createTagStarter(tagSet))
  }
}

/** Few visits have one. */
function carryCampaign(): void {
  if (location.search) void import('../shared/app-links.ts')
}

/**
 * Lays out the sections below the first screen (class `later`), one for each frame with idle time, so that no task is
 * long. The first layout leaves them out.
 */
function renderSectionsWhenIdle(): void {
  const section = document.querySelector('.later')
  if (section === null) return
  whenIdle(() => {
    section.classList.remove('later')
    // Without a frame in between, several would be laid out in one.
    requestAnimationFrame(renderSectionsWhenIdle)
  })
}

/** Starts the hero's animation. It is off in the first frames, and without scripts. */
function startHeroAnimation(): void {
  whenIdle(() => {
    document.querySelector('.art')?.classList.add('live')
  })
}
