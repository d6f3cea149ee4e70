import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { eraseSubscription, requeue } from '#server/newsletter/admin-routes.ts'
import { exportSubscriptions, summarizeQueue } from '#server/newsletter/subscriptions.ts'
import { type CommandContext, UsageError } from './command.ts'

const USAGE = `Uso: npm run newsletter -- COMANDO
  status           mostra quantas inscrições aguardam, foram entregues ou falharam
  retry            põe de volta na fila as que falharam e adianta as que aguardam
  export [ARQUIVO] escreve todas em CSV, no arquivo ou na saída
  erase EMAIL      apaga os dados de uma pessoa (LGPD)`

/** `newsletter COMMAND`: looks after the subscriptions, beside a live server if there is one. */
export async function newsletter({
  args: [command, argument, ...rest],
  withDatabase,
}: CommandContext): Promise<void> {
  const given = argument === undefined ? 0 : 1 + rest.length
  if (command === 'status' && given === 0) return await withDatabase(printStatus)
  if (command === 'retry' && given === 0) return await withDatabase(retry)
  if (command === 'export' && given <= 1) return await withDatabase((db) => exportCsv(db, argument))
  if (command === 'erase' && argument !== undefined && given === 1)
    return await withDatabase((db) => erase(db, argument))
  throw new UsageError(USAGE)
}

async function printStatus(db: Db, config: Config): Promise<void> {
  const summary = await summarizeQueue(db)
  console.log(`Aguardando entrega: ${summary.pending}`)
  console.log(`Entregues:          ${summary.delivered}`)
  console.log(`Falharam:           ${summary.failed}`)
  if (summary.oldestPendingAt !== null) console.log(`A mais antiga aguarda desde ${summary.oldestPendingAt}`)
  if (summary.nextAttemptAt !== null && config.newsletter.webhookUrl !== null)
    console.log(`Próxima tentativa em ${summary.nextAttemptAt}`)
  for (const { reason, count } of summary.errors) console.log(`Último erro de ${count}: ${reason}`)
  if (config.newsletter.webhookUrl === null)
    console.log('NEWSLETTER_WEBHOOK_URL não está definida: tudo é guardado até que esteja.')
}

async function retry(db: Db): Promise<void> {
  const { failed, waiting } = await requeue(db, Date.now())
  console.log(`De volta à fila: ${failed}. Adiantadas: ${waiting}.`)
}

async function exportCsv(db: Db, path?: string): Promise<void> {
  const target: Writable = path === undefined ? process.stdout : createExportFile(path)
  try {
    await pipeline(Readable.from(exportSubscriptions(db)), target, { end: path !== undefined })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`O arquivo ${path} já existe e não foi alterado.`)
    throw error
  }
  if (path !== undefined) console.log(`Inscrições escritas em ${path}`)
}

/** People's addresses: for the owner's eyes, and never over another file. */
function createExportFile(path: string): Writable {
  return createWriteStream(path, { flags: 'wx', mode: 0o600 })
}

async function erase(db: Db, email: string): Promise<void> {
  if (!mayBeKnownEmail(email)) throw new UsageError(`"${email}" não é um e-mail.`)
  const { found, wasDelivered } = await eraseSubscription(db, email, new Date())
  if (!found) throw new UsageError('Não há inscrição com este e-mail.')
  console.log('Inscrição apagada.')
  if (wasDelivered) console.log('O endereço pode já ter chegado ao webhook: peça que seja apagado lá também.')
}
