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

followHeaderState()
followCurrentSection()
wireMenu()
carryCampaign()
wireIslands()
layOutLater(wearTypeface())
startCrossing()
// Here and not in the page: browsers fetch it at once, and nobody waits for it.
appendLink('manifest', '/site.webmanifest')
startTags(loadIslands)
