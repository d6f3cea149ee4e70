import { formatMinute } from '#admin/lib/format-date.ts'
import type { VendorFile } from '#contract/inventory.ts'

/** What our server knows of a vendor's file, in a sentence. */
export function describeFile(file: VendorFile, checksFiles: boolean): string {
  const { outcome, reason, checked_at, changed_at, changes } = file
  if (!checksFiles && checked_at === null)
    return 'Não é conferido: o servidor está configurado para não pedir.'
  if (checked_at === null) return 'Ainda não foi conferido.'
  const when = formatMinute(checked_at)
  if (outcome === 'failed') return `Não deu para ler em ${when} (${explain(reason)}).`
  if (changed_at === null) return `Igual desde a primeira leitura. Conferido em ${when}.`
  const times = changes === 1 ? 'Mudou uma vez' : `Mudou ${changes} vezes`
  return `${times}, a última notada em ${formatMinute(changed_at)}. Conferido em ${when}.`
}

function explain(reason: string | null): string {
  const status = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  if (status?.startsWith('3')) return 'o endereço leva a outro'
  if (status !== undefined) return `a plataforma respondeu ${status}`
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') return 'o endereço não foi encontrado'
  if (reason === 'ETIMEDOUT' || reason === 'UND_ERR_CONNECT_TIMEOUT') return 'sem resposta a tempo'
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'grande demais'
  if (reason === 'encoded') return 'veio compactado'
  return reason ?? 'sem resposta'
}
