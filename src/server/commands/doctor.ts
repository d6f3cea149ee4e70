/** `npm run doctor`: looks at everything that the server needs, changes nothing, and says what to mend. */
import { findProductionGaps } from '../admin/production-gaps.ts'
import { ConfigError, parseConfig, readEnvironment } from '../config.ts'
import { checkPlace } from './doctor/check-place.ts'
import { checkReach } from './doctor/check-reach.ts'
import { checkServices } from './doctor/check-services.ts'
import { bad, describe, type Finding, ok, warn } from './doctor/finding.ts'
import { runCommand } from './run-command.ts'

await runCommand(async () => {
  const findings = await examine()
  for (const finding of findings) console.log(describe(finding))
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  console.log(`\n${count('ok')} em ordem, ${count('warn')} a melhorar, ${count('bad')} a consertar`)
  process.exitCode = count('bad') === 0 ? 0 : 1
})

async function examine(): Promise<Finding[]> {
  try {
    const config = parseConfig(readEnvironment())
    const gaps = findProductionGaps(config).map(({ message }) => warn('falta para produção', message))
    return [
      ok('a configuração é válida'),
      ...gaps,
      ...(await checkPlace(config)),
      ...(await checkReach(config)),
      ...(await checkServices(config)),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => bad(fault, 'Corrija a variável no ambiente ou no arquivo .env.'))
  }
}
