/** `npm run chaos`: breaks the environment of a running server, one way after the other. Arguments select scenarios. */

import { printTable } from '../../bench/print-table.ts'
import { buildAll } from '../../scripts/build-all.ts'
import { isBuildFresh } from '../../scripts/build-stamp.ts'
import { loadScenarios } from './load-scenarios.ts'
import { Place, type Scenario } from './scenario.ts'

const wanted = process.argv.slice(2)
const scenarios = (await loadScenarios()).filter(([file]) => wanted.length === 0 || wanted.includes(file))
if (!isBuildFresh()) await buildAll()

const rows = [['scenario', 'promised', 'happened']]
let broken = 0
for (const [file, scenario] of scenarios) {
  console.error(`${file} …`)
  rows.push([scenario.name, scenario.promised, await happen(scenario)])
}
printTable(rows)
console.log(`\n${scenarios.length} scenarios, ${broken} promises broken`)
process.exit(broken === 0 ? 0 : 1)

async function happen(scenario: Scenario): Promise<string> {
  const obstacle = scenario.obstacle?.() ?? null
  if (obstacle !== null) return `not tried: ${obstacle}`
  const place = new Place()
  try {
    return await scenario.run(place)
  } catch (error) {
    broken++
    return `BROKEN: ${String((error as Error).message).replaceAll('\n', ' ')}`
  } finally {
    await place.leave()
  }
}
