import type { AlertKind } from '#contract/alerts.ts'
import type { TagOverview } from '#contract/tag-status.ts'

/** Something that is so now, and that somebody may want to be told of once. */
export interface Alert {
  pixelId: string
  kind: AlertKind
  /** Tells two of one kind apart: a host, or nothing. */
  subject: string
  /** Why, in a sentence; nothing in it is of a visitor. */
  text: string
}

/** The code of the reason with which a pixel says that its vendor refuses the token. */
const TOKEN_REFUSED = 'token_refused'
/** Anyone can report any name: of one pixel, so many are told. */
const HOSTS_PER_PIXEL = 10

/** A vendor's file that is another one than our server got before. */
export interface FileChange {
  pixelId: string
  url: string
  sha256: string
}

export function findAlerts({ pixels, blocked_hosts }: TagOverview, changes: readonly FileChange[]): Alert[] {
  const alerts: Alert[] = []
  const known = new Set(pixels.map(({ pixel_id }) => pixel_id))
  for (const { pixel_id: pixelId, health, reasons } of pixels) {
    const refusal = reasons.find(({ code }) => code === TOKEN_REFUSED)
    if (refusal !== undefined)
      alerts.push({ pixelId, kind: 'token_refused', subject: '', text: refusal.message })
    else if (health === 'broken')
      alerts.push({
        pixelId,
        kind: 'broken',
        subject: '',
        text: `Não funciona. ${reasons[0]?.message ?? ''}`.trim(),
      })
  }
  const hosts = new Map<string, number>()
  for (const { host, pixel_ids } of blocked_hosts)
    for (const pixelId of pixel_ids) {
      const count = hosts.get(pixelId) ?? 0
      if (!known.has(pixelId) || count >= HOSTS_PER_PIXEL) continue
      hosts.set(pixelId, count + 1)
      alerts.push({
        pixelId,
        kind: 'new_host',
        subject: host,
        text: `Tentou falar com ${host}, que a página não conhece e barrou.`,
      })
    }
  for (const { pixelId, url, sha256 } of changes)
    alerts.push({
      pixelId,
      kind: 'script_changed',
      // Each change is told once.
      subject: `${url} ${sha256}`,
      text: `O arquivo ${url} não é mais o mesmo que o nosso servidor leu antes. Plataformas mudam os seus arquivos com frequência; isto não diz que algo está errado.`,
    })
  return alerts
}
