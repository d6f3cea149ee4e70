import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import type { Config } from '#server/config.ts'
import { addToCheckpoint, readCheckpointState } from '#server/consent/checkpoints.ts'
import { exportEvidence, makeReceipt } from '#server/consent/proof/export.ts'
import { readPublicCheckpoint, verifyGraph } from '#server/consent/proof/verify.ts'
import type { Db } from '#server/db/database.ts'
import { type CommandContext, readArguments, UsageError } from './command.ts'

const USAGE = `Uso: npm run evidence -- COMANDO
  export [ARQUIVO] [--from AAAA-MM-DD] [--to AAAA-MM-DD]
                             escreve os registros, os avisos e os selos de um período, ou de todos
  verify ARQUIVO [--seals ENDEREÇO|ARQUIVO]
                             confere uma exportação ou um comprovante, sem banco de dados nem servidor;
                             com --seals, também contra os selos publicados
  prove CÓDIGO [ARQUIVO]     escreve o comprovante das escolhas de um código`

const OPTIONS = { from: { type: 'string' }, to: { type: 'string' }, seals: { type: 'string' } } as const

/** `evidence COMMAND`: proof of what visitors chose. `verify` needs neither a database nor a server. */
export async function consentRecords({ args, withDatabase }: CommandContext): Promise<void> {
  const { values, positionals } = readArguments(args, { usage: USAGE, options: OPTIONS, names: 3 })
  const [command, argument, ...rest] = positionals
  const { from, to, seals } = values
  if (command === 'export' && rest.length === 0 && seals === undefined)
    return await withDatabase((db, config) => writeExport(db, config, argument, { from, to }))
  const isPeriod = from !== undefined || to !== undefined
  if (command === 'verify' && argument !== undefined && rest.length === 0 && !isPeriod)
    return await verify(argument, seals)
  if (command === 'prove' && argument !== undefined && rest.length <= 1 && !isPeriod && seals === undefined)
    return await withDatabase((db, config) => prove(db, config, argument, rest[0]))
  throw new UsageError(USAGE)
}

async function writeExport(
  db: Db,
  config: Config,
  path: string | undefined,
  days: { from: string | undefined; to: string | undefined },
): Promise<void> {
  const from = days.from === undefined ? null : startOfDay(days.from)
  const to = days.to === undefined ? null : nextSiteDay(startOfDay(days.to)) - 1
  if (from !== null && to !== null && from > to) throw new UsageError('O período termina antes de começar.')
  // What waits is sealed as a server would do it, unless one has just done so.
  await addToCheckpoint(db)
  await write(exportEvidence(db, { site: config.siteUrl, from: toText(from), to: toText(to) }), path)
  const { waiting } = await readCheckpointState(db)
  if (waiting > 0) console.error(`${waiting} registros do último minuto aguardam o próximo selo.`)
}

function startOfDay(day: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw new UsageError(`"${day}" não é uma data: escreva AAAA-MM-DD.`)
  return startOfSiteDate(day)
}

function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

async function prove(db: Db, config: Config, code: string, path: string | undefined): Promise<void> {
  const receipt = await makeReceipt(db, config.siteUrl, code)
  if (receipt === null) throw new UsageError(`Não há registro com o código ${code}.`)
  await write(receipt, path)
}

async function write(pieces: AsyncIterable<string>, path: string | undefined): Promise<void> {
  if (path === undefined) return await pipeline(Readable.from(pieces), process.stdout, { end: false })
  try {
    await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`O arquivo ${path} já existe e não foi alterado.`)
    throw error
  }
  console.log(`Escrito em ${path}.`)
}

async function verify(path: string, published: string | undefined): Promise<void> {
  if (!existsSync(path)) throw new UsageError(`Não há um arquivo ${path}.`)
  const { site, seals, sealCount, records, erased, waiting } = await verifyGraph(createReadStream(path))
  console.log(`Confere: ${records} registros em ${sealCount} selos de ${site}.`)
  if (erased > 0)
    console.log(
      `${erased} registros foram apagados no fim do prazo de guarda; suas folhas continuam provadas.`,
    )
  if (waiting > 0) console.log(`${waiting} registros ainda não tinham selo.`)
  for (const { sequence, sealed_at, hash } of seals) console.log(`Selo ${sequence}, de ${sealed_at}: ${hash}`)
  if (published === undefined) {
    console.log('Compare os selos com os publicados: --seals ENDEREÇO DO SITE.')
    return
  }
  for (const seal of seals) {
    const other = await readPublicCheckpoint(published, seal.sequence)
    if (other === null) throw new UsageError(`O selo ${seal.sequence} não está em ${published}.`)
    if (other.hash !== seal.hash)
      throw new UsageError(`O selo ${seal.sequence} não é o que está publicado em ${published}.`)
  }
  console.log(`Os selos são os publicados em ${published}.`)
}
