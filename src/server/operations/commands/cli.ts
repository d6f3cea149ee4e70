/** `npm run COMMAND -- …` and `node dist/server/COMMAND.js …`: commands for operators. */
import { parseConfig, readEnvironment, VERSION } from '#server/config.ts'
import { describeFault } from '#server/db/errors.ts'
import { OperatorError } from '#server/operator-error.ts'
import { type CommandContext, UsageError, withDatabase } from './command.ts'

type Command = (context: CommandContext) => Promise<void>

/** Loaded on demand. The build makes an entry of each name. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  backup: async () => (await import('./database.ts')).backup,
  restore: async () => (await import('./database.ts')).restore,
  export: async () => (await import('./database.ts')).exportDatabase,
  import: async () => (await import('./database.ts')).importDatabase,
  'import-supabase': async () => (await import('./database.ts')).importSupabase,
  admin: async () => (await import('./admin.ts')).admin,
  newsletter: async () => (await import('./newsletter.ts')).newsletter,
  evidence: async () => (await import('./consent-records.ts')).consentRecords,
  doctor: async () => (await import('./doctor.ts')).doctor,
  version: async () => showVersion,
}

await runCommand(process.argv.slice(2))

/** Errors that the operator can fix are one line; others keep their stack. Both exit with 1. */
async function runCommand([name = '', ...given]: string[]): Promise<void> {
  try {
    const load = COMMANDS[name]
    if (load === undefined) throw new UsageError(`Comandos: ${Object.keys(COMMANDS).join(', ')}.`)
    const { args, envFile } = takeEnvFile(given)
    const config = () => parseConfig(readEnvironment(envFile))
    const command = await load()
    await command({ args, config, withDatabase: (work) => withDatabase(config(), work) })
  } catch (error) {
    console.error(explain(error))
    process.exitCode = 1
  }
}

function explain(error: unknown): unknown {
  if (error instanceof OperatorError) return error.message
  const fault = describeFault(error)
  return fault === null ? error : `Não foi possível: ${fault.what}. ${fault.mend}.`
}

/** The service's settings: a systemd unit has them in a file that no shell reads. */
function takeEnvFile(given: readonly string[]): { args: string[]; envFile: string | null } {
  const at = given.findIndex((argument) => argument === '--env-file' || argument.startsWith('--env-file='))
  if (at === -1) return { args: [...given], envFile: null }
  const isApart = given[at] === '--env-file'
  const envFile = isApart ? given[at + 1] : given[at]?.slice('--env-file='.length)
  if (!envFile) throw new UsageError('--env-file pede o nome de um arquivo.')
  return { args: given.toSpliced(at, isApart ? 2 : 1), envFile }
}

/** `version`: the release and its schema. */
async function showVersion(): Promise<void> {
  const { MIGRATION_NAMES } = await import('#server/db/migrate.ts')
  console.log(`Pórtico ${VERSION}, Node ${process.versions.node}, banco ${[...MIGRATION_NAMES].at(-1)}`)
}
