import { TEST_FRAGMENT } from '#contract/tag-test.ts'
import { startConsent } from '../consent/start-consent.ts'
import { adoptStyle } from '../shared/adopt-style.ts'
import { readTagSet } from '../shared/tag-set.ts'
import { createTagStarter } from '../tags/create-tag-starter.ts'
import { appendLink } from './append-link.ts'
import { carryCampaign } from './attribution.ts'
import { followCurrentSection } from './current-section.ts'
import { followHeaderState } from './header-state.ts'
import { layOutLater } from './lay-out-later.ts'
import { wireMenu } from './menu.ts'
import { startCrossing } from './start-crossing.ts'
import { loadIslands, wireIslands } from './wire-islands.ts'

/** Written by `pages/document.tsx` at the end of the page. */
const page = document.querySelector<HTMLTemplateElement>('template[data-icon]')
adoptStyle(page?.content.textContent ?? '')
followHeaderState()
followCurrentSection()
wireMenu()
carryCampaign()
wireIslands()
layOutLater()
startCrossing()
// Here and not in the page: browsers fetch it at once, and nobody waits for it.
appendLink('manifest', '/site.webmanifest')
// The policy lets pictures come from the assets only, so what a browser looks for by itself is not shown in every one.
appendLink('icon', page?.dataset.icon ?? '')
const tagSet = readTagSet(async () => (await import('../tags/run-tags.ts')).deleteLeftovers())
// An administrator's test asks by itself; nobody else loads this.
if (location.hash.startsWith(TEST_FRAGMENT))
  void import('../testing/open-test.ts').then((part) => part.openTest(loadIslands))
else startConsent(tagSet, loadIslands, createTagStarter(tagSet))
