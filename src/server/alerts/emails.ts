import type { AlertKind } from '#contract/alerts.ts'
import { HOUR_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { Db } from '../db/database.ts'
import { afterCommit } from '../db/transactions/change.ts'
import { storeMail } from '../mail/channel.ts'
import { type Email, renderEmail } from '../mail/email.ts'
import type { Secrets } from '../secrets/secrets.ts'

export interface AlertMailDeps {
  db: Db
  secrets: Secrets
  brandName: string
  /** Address of the dashboard. */
  adminUrl: string
  /** Called when a job of the outbox is stored. */
  wakeOutbox: () => void
}

/** Stores an alert in the transaction that marks it sent. */
export async function storeAlertMail(
  { secrets, brandName, wakeOutbox }: AlertMailDeps,
  trx: Db,
  { to, email, now }: { to: string; email: Email; now: number },
): Promise<void> {
  await storeMail(trx, secrets, { kind: 'alert', to, ...renderEmail(email, brandName) }, now)
  afterCommit(trx, wakeOutbox)
}

export interface AlertLine {
  pixelId: string
  pixelName: string
  /** Null in rows of an earlier version. */
  kind: AlertKind | null
  text: string
}

/** Every alert leads to the page that shows more. */
export type AlertEmail = Email & { action: NonNullable<Email['action']> }

/** Beyond this number, only a count is given. */
const MOST = 20

const WHEN = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  dateStyle: 'short',
  timeStyle: 'short',
})

const CLOSING = ['Você recebe este e-mail porque ativou os avisos. Para mudar, acesse Minha conta no painel.']

/** About headers of the page that changed at these times. */
export function headersEmail(times: readonly string[], adminUrl: string): AlertEmail {
  const hidden = times.length - MOST
  const shown = times.slice(0, MOST).map((time) => WHEN.format(Date.parse(time)))
  return {
    subject: 'A segurança da página mudou sem mudança de tag',
    preview: 'O motivo costuma ser uma atualização. Confira se alguém da equipe fez.',
    paragraphs: [
      'As regras de segurança da página pública (cabeçalhos HTTP) mudaram sem que nenhuma tag fosse alterada.',
      `Quando: ${shown.join('; ')}${hidden > 0 ? `; e mais ${formatCount(hidden, 'vez', 'vezes')}` : ''} (horário de Brasília).`,
      'O motivo costuma ser uma atualização do sistema ou uma mudança de configuração. Se ninguém da equipe fez isso, confira quem acessou o servidor.',
    ],
    action: inventoryAction(adminUrl),
    closing: CLOSING,
  }
}

const SUBJECTS: Record<Exclude<AlertKind, 'headers_changed'>, (name: string) => string> = {
  broken: (name) => `O pixel ${name} não está funcionando`,
  token_refused: (name) => `O token de acesso do pixel ${name} foi recusado`,
  new_host: (name) => `O site bloqueou um domínio novo no pixel ${name}`,
  script_changed: (name) => `Um arquivo do pixel ${name} mudou`,
}

/** About one or several pixels. It contains no link that signs in, and nothing about a visitor. */
export function alertEmail(lines: readonly AlertLine[], adminUrl: string): AlertEmail {
  const hidden = lines.length - MOST
  return {
    subject: subjectOf(lines),
    preview: previewOf(lines),
    paragraphs: [
      ...lines.slice(0, MOST).map(({ pixelName, text }) => `${pixelName}: ${text}`),
      ...(hidden > 0 ? [`E mais ${formatCount(hidden, 'aviso', 'avisos')}. Veja todos no painel.`] : []),
    ],
    action: actionOf(lines, adminUrl),
    closing: CLOSING,
  }
}

function subjectOf(lines: readonly AlertLine[]): string {
  const pixels = new Set(lines.map(({ pixelId }) => pixelId))
  if (pixels.size !== 1) return `Avisos sobre ${pixels.size} pixels`
  const [{ pixelName = '', kind = null } = {}] = lines
  const isOfOneKind = lines.every((line) => line.kind === kind)
  if (!isOfOneKind || kind === null || kind === 'headers_changed') return `Avisos sobre o pixel ${pixelName}`
  return SUBJECTS[kind](pixelName)
}

/** Completes the subject: why, or which pixels. */
function previewOf(lines: readonly AlertLine[]): string {
  const names = [...new Map(lines.map(({ pixelId, pixelName }) => [pixelId, pixelName])).values()]
  if (names.length === 1) return lines[0]?.text ?? ''
  const others = names.length - 2
  return others === 0 ? `${names.join(' e ')}.` : `${names.slice(0, 2).join(', ')} e mais ${others}.`
}

/** Changed files link to the inventory, everything else to the pixel's page. */
function actionOf(lines: readonly AlertLine[], adminUrl: string): NonNullable<Email['action']> {
  if (lines.every(({ kind }) => kind === 'script_changed')) return inventoryAction(adminUrl)
  const [first, ...others] = new Set(lines.map(({ pixelId }) => pixelId))
  return others.length === 0
    ? { label: 'Ver o pixel', url: `${adminUrl}/admin/pixels/${first}` }
    : { label: 'Ver pixels com problema', url: `${adminUrl}/admin/problemas` }
}

function inventoryAction(adminUrl: string): NonNullable<Email['action']> {
  return { label: 'Ver o inventário', url: `${adminUrl}/admin/inventario` }
}

const MORNING = 8

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: SITE_TIME_ZONE,
  hour: '2-digit',
  hourCycle: 'h23',
})

/** The next 8 a.m. at the site on another day. */
export function nextMorning(now: number): number {
  let time = Math.ceil(now / HOUR_MS) * HOUR_MS
  // To midnight first, so that events before 8 a.m. wait for the next day.
  while (Number(CLOCK.format(time)) !== 0) time += HOUR_MS
  while (Number(CLOCK.format(time)) !== MORNING) time += HOUR_MS
  return time
}
