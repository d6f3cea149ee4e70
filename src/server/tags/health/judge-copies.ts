import type { HealthReason, PixelHealth } from '#contract/tag-status.ts'
import type { CopyEvidence } from './read-copy-evidence.ts'

/** A refused event now and then is an odd visitor; a tenth of them is a fault. */
const SHARE = 0.1
const EDIT = { kind: 'edit', label: 'Editar pixel' } as const

/**
 * The health of a pixel that the server tells of, out of what browsers showed and what the vendor answered. The vendor's
 * own answer is the best evidence there is; where it never gives one, nothing is confirmed.
 */
export function judgeCopies(browser: PixelHealth, copies: CopyEvidence): PixelHealth {
  const server = judgeServer(copies)
  if (copies.delivery === 'server') return server
  // The breaker took it off the page: its copies must not hide that.
  if (browser.health === 'paused') return browser
  const reasons = [...server.reasons, ...browser.reasons]
  if (server.health === 'waiting') return browser
  if (browser.health === 'waiting') return { ...server, reasons }
  if (server.health === 'working' && browser.health === 'working')
    return { health: 'working', confirmed: true, reasons: [] }
  if (server.health === 'broken' && browser.health === 'broken')
    return { health: 'broken', confirmed: false, reasons }
  return { health: 'partial', confirmed: server.confirmed || browser.confirmed, reasons }
}

function judgeServer({ stop, accepted, unconfirmed, refused, isRetrying }: CopyEvidence): PixelHealth {
  if (stop !== null) return { health: 'broken', confirmed: false, reasons: [{ ...stop, action: EDIT }] }
  const sent = accepted + unconfirmed
  const isFaulty = refused > 0 && refused / (sent + refused) >= SHARE
  const faults = isFaulty ? [refusedReason(refused, sent + refused)] : []
  if (sent === 0 && refused > 0) return { health: 'broken', confirmed: false, reasons: faults }
  // Somebody came: "Aguardando visita" would not be true.
  if (sent === 0 && isRetrying) return { health: 'partial', confirmed: false, reasons: [RETRYING] }
  if (sent === 0) return { health: 'waiting', confirmed: false, reasons: [] }
  const confirmed = accepted > 0
  if (faults.length > 0) return { health: 'partial', confirmed, reasons: faults }
  return { health: 'working', confirmed, reasons: [confirmed ? acceptedReason(accepted) : UNCONFIRMED] }
}

const acceptedReason = (count: number): HealthReason => ({
  code: 'server_accepted',
  message:
    count === 1
      ? 'O destino aceitou a cópia do servidor nas últimas 24 horas.'
      : `O destino aceitou ${count} cópias do servidor nas últimas 24 horas.`,
})

const RETRYING: HealthReason = {
  code: 'server_retrying',
  message:
    'O servidor tentou enviar e ainda não conseguiu. Ele tenta de novo sozinho; o motivo está nas entregas do pixel.',
}

const UNCONFIRMED: HealthReason = {
  code: 'server_unconfirmed',
  message: 'Enviado pelo servidor; o Google não confirma. Confira o Tempo real do Google Analytics.',
}

const refusedReason = (count: number, all: number): HealthReason => ({
  code: 'server_refused',
  message: `O destino recusou ${count} de ${all} eventos do servidor nas últimas 24 horas. Veja os motivos nas entregas do pixel.`,
})
