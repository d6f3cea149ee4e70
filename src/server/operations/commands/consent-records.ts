import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import { formatCount } from '#contract/format-count.ts'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import type { Config } from '#server/config.ts'
import { addToCheckpoint, readCheckpointState } from '#server/consent/checkpoints.ts'
import { exportConsentProof, makeReceipt } from '#server/consent/proof/export.ts'
import { readPublicCheckpoint, verifyGraph } from '#server/consent/proof/verify.ts'
import type { Db } from '#server/db/database.ts'
import { type CommandContext, readArguments, UsageError } from './command.ts'

const USAGE = `Uso: npm run evidence -- COMANDO
  export [ARQUIVO] [--from AAAA-MM-DD] [--to AAAA-MM-DD]   exporta registros, textos do aviso e selos do período (sem datas: tudo)
  verify ARQUIVO [--seals ENDEREÇO|ARQUIVO]                  verifica uma exportação ou um comprovante, sem banco nem servidor; com --seals, compara com os selos publicados
  prove CÓDIGO [ARQUIVO]                                     gera o comprovante das respostas de um código`

const OPTIONS = { from: { type: 'string' }, to: { type: 'string' }, seals: { type: 'string' } } as const

/** `evidence COMMAND`: consent proof. `verify` needs neither a database nor a server. */
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
  if (from !== null && to !== null && from > to)
    throw new UsageError('A data inicial precisa vir antes da final.')
  // Makes a checkpoint of waiting records, unless a server has just done so.
  await addToCheckpoint(db)
  await write(exportConsentProof(db, { site: config.siteUrl, from: toText(from), to: toText(to) }), path)
  const { waiting } = await readCheckpointState(db)
  if (waiting > 0)
    console.error(`${formatCount(waiting, 'registro', 'registros')} do último minuto ainda sem selo.`)
}

function startOfDay(day: string): number {
  if (!z.iso.date().safeParse(day).success)
    throw new UsageError(`"${day}" não é uma data válida. Use o formato AAAA-MM-DD.`)
  return startOfSiteDate(day)
}

function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

async function prove(db: Db, config: Config, code: string, path: string | undefined): Promise<void> {
  const receipt = await makeReceipt(db, config.siteUrl, code)
  if (receipt === null) throw new UsageError(`Nenhum registro com o código ${code}. Confira o código.`)
  await write(receipt, path)
}

async function write(pieces: AsyncIterable<string>, path: string | undefined): Promise<void> {
  if (path === undefined) return await pipeline(Readable.from(pieces), process.stdout, { end: false })
  try {
    await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`O arquivo ${path} já existe e não foi alterado. Escolha outro nome.`)
    throw error
  }
  console.log(`Salvo em ${path}.`)
}

async function verify(path: string, published: string | undefined): Promise<void> {
  if (!existsSync(path)) throw new UsageError(`O arquivo ${path} não existe. Confira o caminho.`)
  const { site, seals, checkpointCount, records, erased, waiting } = await verifyGraph(createReadStream(path))
  console.log(
    `Tudo certo: ${formatCount(records, 'registro', 'registros')} em ${formatCount(checkpointCount, 'selo', 'selos')} de ${site}.`,
  )
  if (erased > 0)
    console.log(
      `${formatCount(erased, 'registro já apagado', 'registros já apagados')} pelo prazo de guarda. A prova continua válida.`,
    )
  if (waiting > 0) console.log(`${formatCount(waiting, 'registro', 'registros')} ainda sem selo.`)
  for (const { sequence, sealed_at, hash } of seals) console.log(`Selo ${sequence}, de ${sealed_at}: ${hash}`)
  if (published === undefined) {
    console.log(`Para comparar com os selos publicados: npm run evidence -- verify ${path} --seals ${site}`)
    return
  }
  for (const checkpoint of seals) {
    const other = await readPublicCheckpoint(published, checkpoint.sequence)
    if (other === null)
      throw new UsageError(
        `O selo ${checkpoint.sequence} não está publicado em ${published}. O arquivo pode ser de outro site ou ter sido alterado.`,
      )
    if (other.hash !== checkpoint.hash)
      throw new UsageError(
        `O selo ${checkpoint.sequence} é diferente do publicado em ${published}. O arquivo pode ter sido alterado.`,
      )
  }
  console.log(`Os selos são iguais aos publicados em ${published}.`)
}
