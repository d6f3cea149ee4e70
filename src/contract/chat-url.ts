import type { ChatFormat } from './alerts.ts'
import { publicHostOf } from './public-host.ts'

/** The format that an address suggests; null if it suggests none. */
export function chatFormatOf(address: string): ChatFormat | null {
  const host = publicHostOf(address.trim())
  if (host === null) return null
  if (/(?:^|\.)slack(?:-gov)?\.com$/.test(host)) return 'slack'
  return /(?:^|\.)discord(?:app)?\.com$/.test(host) ? 'discord' : null
}

export const CHAT_URL_MAX_LENGTH = 1_000

/** Why an address cannot be used; null if it can. */
export function chatUrlProblem(address: string): string | null {
  if (address.length > CHAT_URL_MAX_LENGTH) return 'O endereço é longo demais.'
  if (!URL.canParse(address)) return 'Cole o endereço completo, que começa com https://.'
  const { protocol, username, password } = new URL(address)
  if (protocol !== 'https:') return 'O endereço precisa começar com https://.'
  if (username !== '' || password !== '') return 'Use um endereço sem usuário e senha.'
  return publicHostOf(address) === null ? 'Use um endereço público, sem número de porta.' : null
}
