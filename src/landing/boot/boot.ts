import { startTags } from '../tags/start-tags.ts'
import { carryCampaign } from './attribution.ts'
import { followCurrentSection } from './current-section.ts'
import { followHeaderState } from './header-state.ts'
import { wireIslands } from './islands.ts'
import { layOutLater } from './lay-out-later.ts'
import { wireMenu } from './menu.ts'

followHeaderState()
followCurrentSection()
wireMenu()
carryCampaign()
wireIslands()
layOutLater()
startTags(() => import('../islands/islands.ts'))
