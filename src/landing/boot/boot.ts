import forcedColorsStyle from '../../design/forced-colors.css?inline'
import { adoptStyle } from '../styles/adopt-style.ts'
import printStyle from '../styles/print.css?inline'
import { startTags } from '../tags/start-tags.ts'
import { appendLink } from './append-link.ts'
import { carryCampaign } from './attribution.ts'
import { followCurrentSection } from './current-section.ts'
import { followHeaderState } from './header-state.ts'
import { loadIslands, wireIslands } from './islands.ts'
import { layOutLater } from './lay-out-later.ts'
import { wireMenu } from './menu.ts'
import { startCrossing } from './start-crossing.ts'
import { wearTypeface } from './wear-typeface.ts'

// No first frame needs these.
adoptStyle(forcedColorsStyle + printStyle)
followHeaderState()
followCurrentSection()
wireMenu()
carryCampaign()
wireIslands()
const typeface = wearTypeface()
layOutLater(typeface)
startCrossing()
// Here and not in the page: browsers fetch it at once, and nobody waits for it.
appendLink('manifest', '/site.webmanifest')
// The policy lets pictures come from the assets only, so what a browser looks for by itself is not shown in every one.
appendLink('icon', document.querySelector<HTMLElement>('[data-icon]')?.dataset.icon ?? '')
startTags(loadIslands, typeface)
