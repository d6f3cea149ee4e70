/** `npm run import-supabase -- FILE`: the logins of a Supabase project, beside a live server if there is one. */
import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type ImportOutcome, importSupabaseUser } from '#server/auth/accounts/import-supabase.ts'
import type { Db } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { readArguments, runCommand, UsageError } from './run-command.ts'
import { warn } from './secret-key.ts'

const USAGE = `Uso: npm run import-supabase -- ARQUIVO
O arquivo tem uma pessoa por linha, em JSON, como esta consulta as escreve no banco do Supabase:
  psql -At -c "select row_to_json(u) from auth.users u" > ARQUIVO`

const WORDS: Record<ImportOutcome, string> = {
  imported: 'importadas',
  taken: 'já existiam (nada foi mudado)',
  unusable: 'não servem (sem e-mail, apagadas, ou de outro formato)',
}

await runCommand(async ({ args, withDatabase }) => {
  const [name] = readArguments(args, { usage: USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(USAGE)
  const file = resolve(name)
  if (!existsSync(file)) throw new UsageError(`O arquivo ${file} não existe. Confira o caminho.`)
  await withDatabase(async (db, config) => {
    await prepareDatabase(config, db, warn)
    const counts = await importLines(db, file)
    for (const [outcome, count] of counts) console.log(`${count} ${WORDS[outcome]}`)
    console.log('Nenhuma tem função de administrador: dê uma com POST /rest/v1/admin_users ou no painel.')
  })
})

async function importLines(db: Db, file: string): Promise<Map<ImportOutcome, number>> {
  const counts = new Map<ImportOutcome, number>()
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    if (line.trim() === '') continue
    const outcome = await importSupabaseUser(db, readLine(line))
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
