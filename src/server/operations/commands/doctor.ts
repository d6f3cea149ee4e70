/** `npm run doctor`: looks at everything that the server needs, changes nothing, and says what to mend. */

import { type Config, ConfigError } from '#server/config.ts'
import { findProductionGaps } from '../production-gaps.ts'
import { checkPlace } from './check-place.ts'
import { checkReach } from './check-reach.ts'
import { checkServices } from './check-services.ts'
import { bad, describe, type Finding, faultOf, ok, warn } from './finding.ts'
import { runCommand } from './run-command.ts'

type Check = (config: Config) => AsyncIterable<Finding> | Promise<Finding[]> | Finding[]

const CHECKS: readonly Check[] = [checkSettings, checkPlace, checkReach, checkServices]

await runCommand(async ({ config: readConfig }) => {
  const counts = { ok: 0, warn: 0, bad: 0 }
  // Each is printed as it is found: what comes later may hang or break.
  const tell = (finding: Finding) => {
    counts[finding.level]++
    console.log(describe(finding))
  }
  const config = readSettings(readConfig, tell)
  for (const check of config === null ? [] : CHECKS) {
    try {
      for await (const finding of await check(config as Config)) tell(finding)
    } catch (error) {
      tell(faultOf(error))
    }
  }
  console.log(`\n${counts.ok} em ordem, ${counts.warn} a melhorar, ${counts.bad} a consertar`)
  process.exitCode = counts.bad === 0 ? 0 : 1
})

function readSettings(readConfig: () => Config, tell: (finding: Finding) => void): Config | null {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) tell(bad(fault, 'Corrija a variável no ambiente ou no arquivo .env.'))
    return null
  }
}

/** That no mail is sent is told where mail is tried. */
function checkSettings(config: Config): Finding[] {
  const gaps = findProductionGaps(config).filter(({ code }) => code !== 'no_smtp_url')
  return [ok('a configuração é válida'), ...gaps.map(({ message }) => warn('falta para produção', message))]
}
