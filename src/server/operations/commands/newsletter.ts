import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatCount } from '#contract/format-count.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { eraseSubscription, requeue } from '#server/newsletter/admin-routes.ts'
import { exportSubscriptions, summarizeQueue } from '#server/newsletter/subscriptions.ts'
import { type CommandContext, UsageError } from './command.ts'

const USAGE = `Uso: npm run newsletter -- COMANDO
  status            mostra quantas inscrições estão na fila, foram enviadas ou falharam
  retry             envia agora as que falharam e as que estão na fila
  export [ARQUIVO]  salva todas em CSV (sem arquivo, mostra no terminal)
  erase EMAIL       exclui os dados de uma pessoa (LGPD)`

/** `newsletter COMMAND`: manages subscriptions, also beside a live server. */
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
  console.log(`Na fila:    ${summary.pending}`)
  console.log(`Enviadas:   ${summary.delivered}`)
  console.log(`Falharam:   ${summary.failed}`)
  if (summary.oldestPendingAt !== null)
    console.log(`A mais antiga está na fila desde ${summary.oldestPendingAt}`)
  if (summary.nextAttemptAt !== null && config.newsletter.webhookUrl !== null)
    console.log(`Próxima tentativa: ${summary.nextAttemptAt}`)
  for (const { reason, count } of summary.errors)
    console.log(`Erro em ${formatCount(count, 'inscrição', 'inscrições')}: ${reason}`)
  if (config.newsletter.webhookUrl === null)
    console.log('NEWSLETTER_WEBHOOK_URL não está definida. As inscrições ficam guardadas até você definir.')
}

async function retry(db: Db): Promise<void> {
  const { failed, waiting } = await requeue(db, Date.now())
  console.log(`Voltaram para a fila: ${failed}. Com envio antecipado: ${waiting}.`)
}

async function exportCsv(db: Db, path?: string): Promise<void> {
  const target: Writable = path === undefined ? process.stdout : createExportFile(path)
  try {
    await pipeline(Readable.from(exportSubscriptions(db)), target, { end: path !== undefined })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`O arquivo ${path} já existe e não foi alterado. Escolha outro nome.`)
    throw error
  }
  if (path !== undefined) console.log(`Inscrições salvas em ${path}`)
}

/** Contains addresses: readable by the owner only, and never overwrites a file. */
function createExportFile(path: string): Writable {
  return createWriteStream(path, { flags: 'wx', mode: 0o600 })
}

async function erase(db: Db, email: string): Promise<void> {
  if (!mayBeKnownEmail(email)) throw new UsageError(`"${email}" não é um e-mail válido.`)
  const { found, wasDelivered } = await eraseSubscription(db, email, new Date())
  if (!found) throw new UsageError(`Nenhuma inscrição com o e-mail ${email}.`)
  console.log('Inscrição excluída.')
  if (wasDelivered) console.log('O e-mail já pode ter sido enviado ao webhook. Peça para excluir lá também.')
}
